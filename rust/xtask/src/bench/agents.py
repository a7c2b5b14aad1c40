# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs, measured inside Blender for ``cargo xtask bench --agents``.

It prints ``figure [name, value, unit, limit]`` lines.

Programs are processes of their own, so that they take nothing from the Python of this one. What a tick holds is counted
in the main thread's processor time: what else runs on the machine does not count.
"""

import gc
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

ROUNDS, CALLS, FLOOD_S = 100, 1000, 5.0
LARGE, NODES, LARGE_ROUNDS = "Large", 700, 5
READS = {
    "scene_summary": {},
    "modifier_stack": {},
    "geometry_stats": {},
    "history": {},
    "list_presets": {},
    "node_docs": {"bl_idname": "mesh_to_points"},
    "search_nodes": None,
    "search_presets": None,
}
WORDS = "scatter wall noise bend points curve tree grid rocks spiral array mirror smooth color rotate stairs".split()
# The other files of this folder are no modules of anything.
sys.path = [place for place in sys.path if Path(place) != Path(__file__).parent]
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Client:
    def __init__(self, url, token, name):
        self.at = urlsplit(url)
        self.headers = {**HEADERS, "Authorization": f"Bearer {token}"}
        self.connection = http.client.HTTPConnection(self.at.netloc, timeout=60)
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        self.ask("initialize", hello)

    def ask(self, method, params):
        self.number += 1
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.connection.request("POST", self.at.path, json.dumps(body), self.headers)
        response = self.connection.getresponse()
        session = response.getheader("Mcp-Session-Id")
        if session:
            self.headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}
        return response.read()

    def call(self, tool, arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})


def reads(url, token):
    """The median time of each read, in milliseconds."""
    client = Client(url, token, "reads")
    out = {}
    for tool, arguments in READS.items():
        spent = []
        for number in range(ROUNDS):
            words = {"query": f"{WORDS[number % len(WORDS)]} {WORDS[(number + 3) % len(WORDS)]}"}
            given = words if arguments is None else arguments
            begin = time.perf_counter()
            client.call(tool, given)
            spent.append((time.perf_counter() - begin) * 1000)
            time.sleep(0.006)  # 200 calls in a second are carried out
        out[tool] = statistics.median(spent)
    print(json.dumps(out))


def large(url, token):
    """Reads the large tree in every way."""
    client = Client(url, token, "large")
    page = f'with edit("{LARGE}"):\n    arrange()\n'
    step = {"id": "s1", "type": "NODE_TREE", "description": "Edit", "payload": {"text": page}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Edited."}
    named = {"node_group_name": LARGE}
    tools = {tool: named for tool in ("tree_ir", "explain_tree", "tree_export")}
    tools |= {"scene_summary": {}, "check_plan": {"plan": plan}, "tree_diff": {"before": LARGE, "after": LARGE}}
    for tool, arguments in [*tools.items()] * LARGE_ROUNDS:
        client.call(tool, arguments)
        time.sleep(0.02)


def calls(url, token):
    client = Client(url, token, "calls")
    for number in range(CALLS):
        tool = list(READS)[number % len(READS)]
        client.call(tool, READS[tool] if READS[tool] is not None else {"query": WORDS[number % len(WORDS)]})
        time.sleep(0.004)
    client.connection.request("DELETE", client.at.path, headers=client.headers)
    client.connection.getresponse().read()


def flood(url, token):
    """Asks without reading, on one connection after the other, until it is killed."""
    client = Client(url, token, f"flood {os.getpid()}")
    while True:
        stream = socket.create_connection((client.at.hostname, client.at.port))
        for _ in range(50):
            params = {"name": "scene_summary", "arguments": {}}
            client.number += 1
            body = {"jsonrpc": "2.0", "id": client.number, "method": "tools/call", "params": params}
            body = json.dumps(body)
            head = {**client.headers, "Host": client.at.netloc, "Content-Length": len(body)}
            lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
            stream.sendall(f"POST {client.at.path} HTTP/1.1\r\n{lines}\r\n{body}".encode())


def stall(url, token):
    """Sends half of a request and waits, on many connections."""
    at = urlsplit(url)
    streams = []
    for _ in range(60):
        stream = socket.create_connection((at.hostname, at.port))
        head = f"POST {at.path} HTTP/1.1\r\nHost: {at.netloc}\r\nAuthorization: Bearer {token}\r\n"
        stream.sendall(f"{head}Content-Length: 900000\r\n\r\n".encode() + b"{" * 1000)
        streams.append(stream)
    time.sleep(60)


def figure(name, value, unit, limit=None):
    print("figure", json.dumps([name, value, unit, limit]), flush=True)


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Blender:
    """Ticks as Blender's timer does, but without a pause that a program would have to wait for."""

    def __init__(self):
        import bpy
        from geonode_assistant.agents.server import Programs

        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        for place in range(100):
            bpy.ops.mesh.primitive_cube_add(location=(3.0 * place, 0, 0))
        self.programs = Programs()
        self.programs.start()
        assert self.programs.error is None, self.programs.error
        found = json.loads(self.programs.configuration())["mcpServers"]["blender"]
        self.access = [found["url"], found["headers"]["Authorization"].removeprefix("Bearer ")]
        self.ticks = []

    def client(self, kind):
        return subprocess.Popen([sys.executable, self.file, kind, *self.access], stdout=subprocess.PIPE, text=True)

    def tick(self):
        begin = time.thread_time()
        self.programs.tick()
        self.ticks.append((time.thread_time() - begin) * 1000)
        time.sleep(0.0005)

    def until_end(self, process):
        while process.poll() is None:
            self.tick()
        return process.stdout.read()

    def beside(self, name, kind, many):
        """What a tick holds at most beside programs of this kind, which then die."""
        others = [self.client(kind) for _ in range(many)]
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            self.tick()
        self.ticks.clear()
        began, end = time.thread_time(), time.monotonic() + FLOOD_S
        while time.monotonic() < end:
            self.tick()
        share = (time.thread_time() - began) / FLOOD_S
        for other in others:
            other.kill()
            other.wait()
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            self.tick()
        figure(f"longest tick beside {name}", max(self.ticks), "ms", 8)
        figure(f"main thread's time beside {name}", share * 100, "%")

    def large(self):
        """What a tick holds at most while a large result is read."""
        import bpy
        from geonode_assistant.host import ownership

        tree = bpy.data.node_groups.new(LARGE, "GeometryNodeTree")
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        last = tree.nodes.new("GeometryNodeMeshCube")
        for _ in range(NODES):
            node = tree.nodes.new("GeometryNodeSetPosition")
            tree.links.new(last.outputs[0], node.inputs[0])
            last = node
        tree.links.new(last.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
        ownership.assign_to_assistant(tree)
        bpy.context.object.modifiers.new(LARGE, "NODES").node_group = tree
        # Python looks for garbage when it likes; what was made here is not what programs cost.
        gc.collect()
        self.ticks.clear()
        self.until_end(self.client("large"))
        figure(f"longest tick of reading a tree of {NODES} nodes", max(self.ticks), "ms", 8)

    def measure(self):
        for tool, spent in json.loads(self.until_end(self.client("reads"))).items():
            figure(f"{tool}, p50", spent, "ms", 5)
        figure("longest tick of single reads", max(self.ticks), "ms", 8)
        self.until_end(self.client("calls"))
        gc.collect()
        memory, objects, files = resident(), len(gc.get_objects()), len(os.listdir("/proc/self/fd"))
        self.until_end(self.client("calls"))
        self.ticks.clear()
        gc.collect()
        figure(f"{CALLS} calls leave memory", resident() - memory, "MB", 2)
        figure(f"{CALLS} calls leave Python objects", len(gc.get_objects()) - objects, "")
        figure(f"{CALLS} calls leave open files", len(os.listdir("/proc/self/fd")) - files, "", 0)
        self.beside("4 programs that flood and die", "flood", 4)
        self.beside("4 programs that stall and die", "stall", 4)
        self.large()
        self.programs.stop()


if len(sys.argv) > 2:
    {"reads": reads, "calls": calls, "flood": flood, "stall": stall, "large": large}[sys.argv[1]](*sys.argv[2:])
else:
    blender = Blender()
    blender.file = sys.argv[1]
    blender.measure()
    sys.stdout.flush()
    os._exit(0)
