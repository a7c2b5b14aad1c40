# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures inside Blender, for ``cargo xtask bench``; prints ``figure [name, value, unit, limit]`` lines.

Whatever is compared is measured in turns in this one process; every figure is the median of its rounds.
"""

import ast
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bpy
import geonode_core
from geonode_assistant.host import apply, build, export, transaction

ROUNDS = 5
GEOMETRY = "GeometryNodeTree"


def figure(name, value, unit, limit=None):
    print("figure", json.dumps([name, value, unit, limit]))


def timed(call, clock=time.perf_counter):
    """The result and the seconds that it took, collections of earlier garbage aside."""
    gc.collect()
    begin = clock()
    result = call()
    return result, clock() - begin


def empty_file():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def append(path):
    """Blender itself brings all node groups of an asset file."""
    with bpy.data.libraries.load(str(path)) as (source, wanted):
        wanted.node_groups = list(source.node_groups)


def trees_here():
    return [tree for tree in bpy.data.node_groups if tree.bl_idname == GEOMETRY]


REGISTER = """
import time, bpy
start = time.thread_time()
import geonode_assistant, geonode_core
geonode_assistant.register()
print(time.thread_time() - start)
"""


def registration():
    """What the add-on adds to a start of Blender, with Python's own files of compiled modules, as in an installation;
    in the main thread's processor time.
    """
    with tempfile.TemporaryDirectory() as cache:
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        variables["PYTHONPYCACHEPREFIX"] = cache
        command = [sys.executable, "-c", REGISTER]
        seconds = [
            float(subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.split()[-1])
            for _ in range(ROUNDS + 1)  # the first one compiles
        ]
    figure("registration with the native import", statistics.median(seconds[1:]) * 1000, "ms", 100)


def shipped():
    """Append, export and rebuild of everything that this Blender ships, per 1,000 nodes, round by round, in the main
    thread's processor time, so that what else runs on the machine does not count.
    """
    clock = time.thread_time
    folder = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "assets"
    files = [path for path in sorted(folder.glob("**/*.blend")) if "brushes" not in path.parts]
    rounds = []
    tube = None
    for _ in range(ROUNDS + 1):  # the first one reads node types and warms the disk
        appending = exporting = building = 0.0
        there = built = 0
        for path in files:
            empty_file()
            appending += timed(lambda path=path: append(path), clock)[1]
            trees = trees_here()
            if not trees:
                continue
            there += sum(len(tree.nodes) for tree in trees)
            names = [tree.name for tree in trees]
            bundle, seconds = timed(lambda names=names: export.export_trees(names), clock)
            exporting += seconds
            if "Curve to Tube" in names:
                tube = export.export_tree(bpy.data.node_groups["Curve to Tube"])
            nested = {node.node_tree.name for tree in trees for node in tree.nodes if getattr(node, "node_tree", None)}
            empty_file()
            for root in [name for name in names if name not in nested]:
                document = {**bundle, "root": root}
                building += timed(lambda document=document: build.build_tree(document), clock)[1]
            built += sum(len(tree.nodes) for tree in trees_here())
        if there:
            rounds.append((appending / there * 1000, exporting / there * 1000, building / built * 1000))
    if not rounds:
        return
    rounds = rounds[1:]
    figure("append of the shipped trees by Blender", statistics.median(r[0] for r in rounds), "s/1,000 nodes")
    figure("rebuild of the shipped trees", statistics.median(r[2] for r in rounds), "s/1,000 nodes")
    figure("rebuild / append, paired", statistics.median(r[2] / r[0] for r in rounds), "times", 1.5)
    figure("export of the shipped trees", statistics.median(r[1] for r in rounds), "s/1,000 nodes", 0.06)
    if tube is not None:
        seconds = []
        for _ in range(ROUNDS):
            empty_file()
            seconds.append(timed(lambda: build.build_tree(tube), clock)[1])
        figure("rebuild of Curve to Tube, 687 nodes", statistics.median(seconds), "s", 0.15)


def chain(nodes):
    """A step that makes a tree of Math nodes, each fed by the one before."""
    tree = {
        "tree": "Chain",
        "create": True,
        "add": [{"id": f"n{number}", "type": "ShaderNodeMath"} for number in range(nodes)],
        "links": [[f"n{number}", "Value", f"n{number + 1}", "Value"] for number in range(nodes - 1)],
        "locations": [[f"n{number}", 200.0 * number, 0.0] for number in range(nodes)],
    }
    return {"step_id": "make", "trees": [tree]}


def one_input():
    """One changed input: what a run adds to Blender's own setter, without a pause and after one, and a whole
    transaction. In turns, in the main thread's processor time, so that what else runs on the machine does not count.
    """
    clock = time.thread_time
    for nodes in (30, 300, 1000):
        empty_file()
        apply.apply_delta(chain(nodes))
        socket = bpy.data.node_groups["Chain"].nodes["n5"].inputs[1]
        spent: dict[str, list[float]] = {"at once": [], "after a pause": [], "whole": []}
        bare = []
        for number in range(6 * ROUNDS):
            value = ["n5", "Value_001", float(number)]
            edit = {"tree": "Chain", "create": False, "stamp": ["n5"], "values": [value]}
            step = {"step_id": "edit", "trees": [edit]}
            _, setter = timed(lambda to=socket, value=-number - 1: setattr(to, "default_value", value), clock)
            opened, begun = timed(lambda: transaction.Transaction([], ["Chain"], announced=True), clock)
            _, at_once = timed(lambda opened=opened, step=step: opened.apply(step), clock)
            _, read = timed(opened.pause, clock)
            value[2] = number - 0.5
            _, compared = timed(lambda opened=opened, step=step: opened.apply(step), clock)
            _, kept = timed(lambda opened=opened: opened.commit("one input"), clock)
            bare.append(setter)
            spent["at once"].append(at_once - setter)
            spent["after a pause"].append(read + compared - setter)
            spent["whole"].append(begun + at_once + kept)
        of = f"one input of {nodes:,} nodes"
        figure(f"{of}: Blender's own setter", statistics.median(bare) * 1000, "ms")
        figure(f"{of}: a run's edit adds, paired", statistics.median(spent["at once"]) * 1000, "ms", 0.5)
        figure(f"{of}: adds where others had Blender", statistics.median(spent["after a pause"]) * 1000, "ms")
        figure(f"{of}: snapshot, edit, undo", statistics.median(spent["whole"]) * 1000, "ms", 100)


def plan(tree, operations, words):
    """One step on the plane; its description has that many characters, so that a reply takes its time."""
    target = {"object_name": "Plane", "modifier_name": tree, "node_group_name": tree}
    payload = {"target": target, "operations": operations}
    step = {"id": "s", "type": "NODE_TREE", "description": "d" * words, "payload": payload}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "done"}


def lift(words=10):
    """A new tree that moves the plane."""
    kind = "NodeSocketGeometry"

    def socket(node, name):
        return {"node_id": node, "socket": name}

    operations = [
        *(
            {"op": "set_group_io", "direction": side, "name": "Geometry", "socket_type": kind}
            for side in ("input", "output")
        ),
        {"op": "create_node", "node_id": "up", "bl_idname": "GeometryNodeTransform"},
        {"op": "link", "from": socket("group_input", "Geometry"), "to": socket("up", "Geometry")},
        {"op": "link", "from": socket("up", "Geometry"), "to": socket("group_output", "Geometry")},
    ]
    return plan("Lift", operations, words)


def telemetry():
    """A whole run of a small plan with times and counters collected, and without, in turns."""
    from geonode_assistant import api

    ratios, collected = [], []
    for number in range(8 * ROUNDS + 1):
        times = {}
        for on in (True, False) if number % 2 else (False, True):
            empty_file()
            bpy.ops.mesh.primitive_plane_add()
            report, times[on] = timed(lambda on=on: api.apply_plan(lift(), "Plane", "all", settings={"telemetry": on}))
            if report.status != "done":
                raise SystemExit(f"the measured run ended with {report.messages}")
        if number:  # the first one warms up
            ratios.append(times[True] / times[False])
            collected.append(times[True])
    figure("a small plan applied and verified", statistics.median(collected) * 1000, "ms")
    figure("telemetry: a run with / without it, paired", statistics.median(ratios), "times", 1.05)


PEER = r"""
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
text, pause = sys.argv[1], float(sys.argv[2])
class Peer(BaseHTTPRequestHandler):
    def log_message(self, *arguments): pass
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        size = max(1, len(text) // 400)
        pieces = [{"delta": {"content": text[at:at + size]}} for at in range(0, len(text), size)]
        for piece in [*pieces, {"delta": {}, "finish_reason": "stop"}]:
            chunk = {"id": "c", "model": "m", "choices": [{"index": 0, **piece}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
            time.sleep(pause)
        self.wfile.write(b"data: [DONE]\n\n")
class Server(ThreadingHTTPServer):
    request_queue_size = 256
server = Server(("127.0.0.1", 0), Peer)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextlib.contextmanager
def streaming(reply, pause):
    """The address of a server in another process that streams the reply in 400 pieces, with that pause after each."""
    command = [sys.executable, "-c", PEER, json.dumps(reply), str(pause)]
    peer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert peer.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(peer.stdout.readline())}/v1"
    finally:
        peer.kill()
        peer.wait()


def crowd():
    """A hundred runs that stream at once, all polled by the main thread in every tick, as it were a hundred sidebars.

    A tick is the time that the main thread was away; between two of them it sleeps as long as a frame lasts. Those
    count in which all hundred stream: from the first text of the last of them to the end of the first.
    """
    from geonode_assistant import native
    from geonode_assistant.run import bridge, driver, starting

    empty_file()
    bpy.ops.mesh.primitive_plane_add()
    answer = {"version": "1.1", "steps": [], "done": True, "final_message": "d" * 8000}
    with streaming(answer, 0.02) as address:
        request = starting.request_of("lift", "Plane", "openai-compatible", "m", "all", base_url=address)
        handles = [driver.RunHandle(native.core().Run(request), bridge.BlenderHost()) for _ in range(100)]
        ticks, pieces = [], 0
        streaming_now: set[int] = set()
        while any(not handle.finished for handle in handles):
            begin = time.perf_counter()
            events = [handle.poll(0) for handle in handles]
            spent = time.perf_counter() - begin
            if len(streaming_now) == 100 and not any(handle.finished for handle in handles):
                ticks.append(spent)
                pieces += sum(event["event"] == "text" for told in events for event in told)
            streaming_now |= {
                number for number, told in enumerate(events) if any(event["event"] == "text" for event in told)
            }
            time.sleep(1 / 60)
    ended = [handle.report() for handle in handles]
    if any(report.status != "done" for report in ended):
        raise SystemExit(f"a run of the hundred ended with {[report.messages for report in ended]}")
    ticks.sort()
    figure("100 runs streaming at once: ticks", len(ticks), "ticks")
    figure("100 runs streaming at once: pieces of text a tick", pieces / len(ticks), "pieces")
    figure("100 runs streaming at once: median tick", ticks[len(ticks) // 2] * 1000, "ms")
    figure("100 runs streaming at once: longest tick", ticks[-1] * 1000, "ms", 8)


def paces():
    """The main thread's share of runs against a streaming server on this machine, for a new tree and for one input of a
    tree of 1,000 nodes: each poll without what the host did in it (snapshot, application, evaluation).
    """
    from geonode_assistant import native
    from geonode_assistant.run import bridge, driver, starting

    class Clocked(bridge.BlenderHost):
        spent = 0.0

    def clocked(name):
        def method(self, *arguments):
            begin = time.perf_counter()
            try:
                return getattr(bridge.BlenderHost, name)(self, *arguments)
            finally:
                self.spent += time.perf_counter() - begin

        return method

    for name in ("capture_context", "inspect", "begin", "apply_step", "verify", "restore", "commit"):
        setattr(Clocked, name, clocked(name))

    def polls(plan):
        with streaming(plan, 0.002) as address:
            found = []
            for _ in range(ROUNDS):
                request = starting.request_of("lift", "Plane", "openai-compatible", "m", "all", base_url=address)
                host = Clocked()
                handle = driver.RunHandle(native.core().Run(request), host)
                while not handle.finished:
                    host.spent = 0.0
                    begin = time.perf_counter()
                    handle.poll(0)
                    found.append(time.perf_counter() - begin - host.spent)
                    time.sleep(0.002)
                report = handle.report()
                if report.status != "done":
                    raise SystemExit(f"the measured run ended with {report.messages}")
            return sorted(found)

    empty_file()
    bpy.ops.mesh.primitive_plane_add()
    found = polls(lift(4000))
    tree = bpy.data.node_groups["Lift"]
    names = [tree.nodes.new("ShaderNodeMath") for _ in range(1000)]
    for first, second in zip(names, names[1:], strict=False):
        tree.links.new(first.outputs[0], second.inputs[0])
    edit = [{"op": "set_input_default", "node_id": "up", "socket": "Scale", "value": [2, 2, 2]}]
    large = polls(plan("Lift", edit, 4000))
    for what, times in (("a new tree", found), ("one input of 1,000 nodes", large)):
        figure(f"poll, {what}: median", times[len(times) // 2] * 1000, "ms")
        figure(f"poll, {what}: p99", times[len(times) * 99 // 100] * 1000, "ms", 8)
        figure(f"poll, {what}: longest", times[-1] * 1000, "ms", 8)


def imports_of(source):
    """The import statements at the top level of a script, as a script of their own."""
    lines = [ast.unparse(one) for one in ast.parse(source).body if isinstance(one, ast.Import | ast.ImportFrom)]
    return "\n".join(line for line in lines if "__future__" not in line) or "pass"


def scripts():
    """Ordinary scripts in safe mode against plain exec, each pair in turns, and how fast a loop is stopped.

    ``BENCH_SCRIPTS`` is the folder. The fixed part is what every script pays, however short: the checks, the guards
    put in, the start of the watchdog, and the modules that it imports, which are made for it. Execution is from its
    first line to its last, without those modules: the difference of two whole runs would tell the noise of the fixed
    part, which is many times longer than most scripts.
    All are seconds of the main thread's processor time, so that what else runs on the machine does not count.
    """
    from geonode_assistant import scripting
    from geonode_assistant.scripting import alarm, expected, names, output, policy

    def prepared(source):
        verdict = scripting.check_script(source)
        if not verdict.ok:
            return None
        alarm.prepare(verdict.source)
        expected.prepare()
        code, seconds = timed(lambda: scripting.compile_guarded(verdict.source, verdict.own), time.thread_time)
        return verdict, code, seconds

    executing = []
    run = geonode_core.run_bounded

    def clocked(*args, **kwargs):
        begin = time.thread_time()
        try:
            return run(*args, **kwargs)
        finally:
            executing.append(time.thread_time() - begin)

    def safely(verdict, code):
        """Seconds of the whole run, and of its execution."""

        def whole():
            text = output.Output()
            table = {"__name__": "__main__", "__builtins__": names.table(verdict.own, text)}
            scripting.run_guarded(code, table, text, 60_000, None)

        return timed(whole, time.thread_time)[1], executing[-1]

    geonode_core.run_bounded = clocked
    seconds = [timed(policy.policy.__wrapped__)[1] for _ in range(ROUNDS)]
    figure("policy of scripts, read by Python", statistics.median(seconds) * 1000, "ms", 10)
    ratios, executions, whole, fixed = [], [], [], []
    for path in sorted(Path(os.environ["BENCH_SCRIPTS"]).glob("*/*.py")):
        source = path.read_text()
        ready, opening = prepared(source), prepared(imports_of(source))
        if ready is None or opening is None:
            continue
        verdict, safe, preparing = ready
        plain = compile(verdict.source, "<plain>", "exec")
        rounds = []
        try:
            for _ in range(ROUNDS):
                empty = {"__name__": "__main__", "print": lambda *_, **__: None}
                bpy.ops.wm.read_homefile(use_factory_startup=True)
                first = timed(lambda plain=plain, names_=empty: exec(plain, names_), time.thread_time)[1]
                bpy.ops.wm.read_homefile(use_factory_startup=True)
                rounds.append((first, *safely(verdict, safe), *safely(*opening[:2])))
        except Exception:
            continue
        first, second, inside, before, imports = map(statistics.median, zip(*rounds, strict=True))
        if first > 0.0005:  # below this only the clock is measured
            ratios.append(second / first)
            executions.append((inside - imports) / first)
        whole.append((first, second))
        fixed.append(preparing + before)
    geonode_core.run_bounded = run
    total = sum(pair[1] for pair in whole) / sum(pair[0] for pair in whole)
    figure("scripts in safe mode / plain exec, all together", total, "times", 2)
    figure("scripts in safe mode / plain exec, median", statistics.median(ratios), "times", 2)
    figure("scripts in safe mode / plain exec, worst", max(ratios), "times")
    figure("the same, execution alone: median", statistics.median(executions), "times", 1.1)
    figure("the same, execution alone: worst", max(executions), "times", 2)
    figure("fixed part of a script: median", statistics.median(fixed) * 1000, "ms", 30)
    figure("fixed part of a script: longest", max(fixed) * 1000, "ms", 30)
    figure("scripts measured", len(whole), "scripts")
    loop = compile("while True: pass", "<script>", "exec")
    late = []
    for _ in range(20):
        begin = time.perf_counter()
        try:
            geonode_core.run_bounded(loop, {}, 50)
        except geonode_core.ScriptTimeout:
            late.append(time.perf_counter() - begin - 0.05)
    figure("a loop is stopped after its limit: median", statistics.median(late) * 1000, "ms")
    figure("a loop is stopped after its limit: longest", max(late) * 1000, "ms", 1000)


def trials():
    """What a script's trial adds before its question can be answered, in a file of about 50 MB."""
    from geonode_assistant import api

    empty_file()
    for _ in range(48):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=200, y_subdivisions=200)
    code = "import bpy\nfor n in range(5):\n    bpy.ops.mesh.primitive_cube_add(location=(n, 0, 3))\n"
    step = {"id": "s", "type": "PYTHON", "description": "", "payload": {"code": code}}
    plan = {"version": "1.1", "steps": [step], "done": True, "final_message": ""}
    started: list[float] = []
    waits, recorded = [], 0

    def decide(request):
        nonlocal recorded
        waits.append(time.perf_counter() - started[-1])
        result = request["dry_run"]["result"]
        recorded += bool(result["ok"] and result.get("by_record"))
        return "rejected"

    for _ in range(ROUNDS):
        started.append(time.perf_counter())
        api.apply_plan(plan, approve=decide)
    figure("a script's trial in a file of 50 MB: median", statistics.median(waits), "s", 3)
    figure("trials whose record can be carried out", recorded, "of 5")


registration()
shipped()
one_input()
telemetry()
paces()
crowd()
scripts()
trials()
sys.stdout.flush()
# Some builds of the bpy module hang while the interpreter shuts down.
os._exit(0)
