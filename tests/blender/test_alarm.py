# SPDX-License-Identifier: GPL-3.0-or-later
"""The second wall alone: all of Python's builtins under the interpreter's alarm, no rules and no guards."""

from __future__ import annotations

import builtins
import collections
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import geonode_core as core
import pytest
from geonode_assistant import api, scripting
from geonode_assistant.scripting import alarm, policy
from geonode_assistant.scripting.output import Output

# Scripts in plain Python that raise the alarm, by audit event.
HEARD = {
    "os.system": "import os\nos.system('touch touched')",
    "subprocess.Popen": "import subprocess\nsubprocess.run(['touch', 'touched'])",
    "os.posix_spawn": "import os\nos.posix_spawn('/bin/touch', ['touch', 'touched'], {})",
    "os.exec": "import os\nos.execv('/bin/false', ['false'])",
    "os.fork": "import os\nos.fork() or os._exit(0)",
    "socket.__new__": "import socket\nsocket.socket()",
    "socket.getaddrinfo": "import socket\nsocket.getaddrinfo('localhost', 80)",
    "ctypes.dlopen": "import ctypes\nctypes.CDLL(None)",
    "ctypes.dlsym": "import ctypes\nctypes.pythonapi.Py_Exit",
    "ctypes.cdata": "import ctypes\nctypes.c_int.from_address(id(1))",
    "open": "open('touched', 'w')",
    "open to read": "open('/etc/passwd')",
    "open by number": "import os\nos.open('touched', os.O_CREAT | os.O_WRONLY)",
    "io.open_code": "import io\nio.open_code('/etc/passwd')",
    "pathlib": "import pathlib\npathlib.Path('touched').write_text('x')",
    "os.listdir": "import os\nos.listdir('/')",
    "os.scandir": "import os\nos.scandir('/')",
    "os.remove": "import os\nos.remove('kept')",
    "os.rename": "import os\nos.rename('kept', 'touched')",
    "os.mkdir": "import os\nos.mkdir('touched')",
    "os.chmod": "import os\nos.chmod('kept', 0)",
    "os.link": "import os\nos.symlink('kept', 'touched')",
    "os.putenv": "import os\nos.environ['A'] = 'b'",
    "os.kill": "import os\nos.kill(os.getpid(), 0)",
    "shutil": "import shutil\nshutil.copyfile('kept', 'touched')",
    "import": "import this_is_not_there",
    "import of what is there": "import antigravity",
    "compile": "compile('1', 'x', 'exec')",
    "eval": "eval('1 + 1')",
    "exec": "exec('x = 1')",
    "code object": "exec((lambda: 1).__code__)",
    "code.__new__": "(lambda: 1).__code__.replace(co_consts=(2,))",
    "function.__new__": "import types\ntypes.FunctionType((lambda: 1).__code__, {})",
    "own code": "def f(): return 1\ndef g(): return 2\nf.__code__ = g.__code__",
    "defaults": "def f(x=1): return x\nf.__defaults__ = (2,)",
    "frames": "import sys\nsys._getframe()",
    "frames of a traceback": "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
    "frame of a generator": "g = (1 for _ in [1])\ng.gi_frame.f_globals",
    "marshal": "import marshal\nmarshal.loads(marshal.dumps(1))",
    "pickle": "import pickle\npickle.loads(b'cos\\nsystem\\n(Vtouch touched\\ntR.')",
    "gc": "import gc\ngc.get_objects()",
    "trace": "import sys\nsys.settrace(print)",
    "hook": "import sys\nsys.addaudithook(print)",
    "alarm off": "import geonode_core\ngeonode_core.alarm_free(print)",
    "alarm allowed": "import geonode_core\ngeonode_core.alarm_allow('exec', (lambda: 1).__code__)",
    "url": "import urllib.request\nurllib.request.urlopen('http://localhost')",
    "sqlite": "import sqlite3\nsqlite3.connect(':memory:')",
    "mmap": "import mmap\nmmap.mmap(-1, 10)",
    "temporary file": "import tempfile\ntempfile.mkstemp()",
    "numpy file": "import numpy as np\nnp.save('touched', np.ones(3))",
    "array file": "import numpy as np\nnp.ones(3).tofile('touched')",
}
# The same for functions that Python does not report, which are held back while a script runs.
HELD = {
    "os.write": "import os\nos.write(2, b'x')",
    "os.pipe": "import os\nos.pipe()",
    "os.stat": "import os\nos.stat('/etc/passwd')",
    "os.statvfs": "import os\nos.statvfs('/')",
    "os.access": "import os\nos.access('/etc/passwd', os.R_OK)",
    "os.path.exists": "import os\nos.path.exists('/etc/passwd')",
    "os.mkfifo": "import os\nos.mkfifo('touched')",
    "os.dup": "import os\nos.dup(0)",
    "os._exit": "import os\nos._exit(77)",
    "os.abort": "import os\nos.abort()",
    "fork_exec": "import subprocess\nsubprocess._fork_exec()",
    "threads": "import threading\nthreading.Thread(target=print).start()",
    "_thread": "import _thread\n_thread.start_new_thread(print, ())",
    "signal": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "signal masks": "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\nwhile True: pass",
    "timers": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 100)",
    "atexit": "import atexit\natexit.register(print)",
    "faulthandler": "import faulthandler\nfaulthandler._sigabrt()",
    "recursion": "import sys\nsys.setrecursionlimit(10 ** 8)",
    "swallowed": "import os\ntry:\n    os.write(2, b'x')\nexcept BaseException:\n    pass",
    "timers of Blender": "import bpy\nbpy.app.timers.register(print)",
    "message bus": "import bpy\nbpy.msgbus.subscribe_rna(key=bpy.types.Object, owner=1, args=(), notify=print)",
    "drawing": "import bpy\nbpy.types.SpaceView3D.draw_handler_add(print, (), 'WINDOW', 'POST_PIXEL')",
    "drawing of one editor": "import bpy\nspace = bpy.data.screens[0].areas[0].spaces[0]\n"
    "space.draw_handler_add(print, (), 'WINDOW', 'POST_PIXEL')",
    "cursors": "import bpy\nbpy.types.WindowManager.draw_cursor_add(print, (), 'VIEW_3D', 'WINDOW')",
    "popups": "import bpy\nbpy.context.window_manager.popup_menu(print)",
    "status": "import bpy\nbpy.context.workspace.status_text_set(print)",
}
if sys.version_info >= (3, 12):
    HELD["monitoring"] = "import sys\nsys.monitoring.use_tool_id(4, 'x')"
    HELD["callbacks of others"] = "import sys\nsys.monitoring.register_callback(4, 1, print)"
if sys.platform == "win32":
    HELD = {}
    HEARD = {name: source for name, source in HEARD.items() if not name.startswith("os.posix")}
# Ways in which a script may try to hide an alarm; `{}` is replaced by the attempt.
HIDDEN = {
    "swallowed": "try:\n    {}\nexcept BaseException:\n    pass\nreached.append(1)",
    "swallowed again and again": "for _ in range(1000):\n    try:\n        {}\n    except BaseException:\n        pass",
    "in a finaliser": "class A:\n    def __del__(self):\n        {}\nA()",
    "in a callback of a sort": "def f(x):\n    {}\nsorted([1], key=f)",
    "in a generator": "def g():\n    try:\n        yield 1\n    finally:\n        {}\nfor _ in g():\n    break",
    "in a handler": "import bpy\ndef f(*_):\n    {}\nbpy.app.handlers.frame_change_pre.append(f)\n"
    "bpy.context.scene.frame_set(7)",
    "in a driver": "import bpy\ndef f():\n    {}\nbpy.app.driver_namespace['f'] = f\n"
    "bpy.context.object.driver_add('location', 0).driver.expression = 'f()'\nbpy.context.view_layer.update()",
    "in a property": "import bpy\ndef f(self, context):\n    {}\n"
    "bpy.types.Scene.trial = bpy.props.IntProperty(update=f)\n"
    "try:\n    bpy.context.scene.trial = 3\nfinally:\n    del bpy.types.Scene.trial",
}


@pytest.fixture(autouse=True)
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").write_text("kept")


def run_unguarded(source: str, **given: Any) -> dict[str, Any]:
    """Runs a script under the second wall only."""
    code = compile(source, "<script>", "exec", dont_inherit=True)
    for module in ("subprocess", "ctypes", "socket", "pathlib", "shutil", "pickle", "marshal", "urllib.request"):
        __import__(module)
    for module in ("mmap", "sqlite3", "tempfile", "numpy", "types", "io"):
        __import__(module)
    namespace = {"__name__": "__main__", "__builtins__": vars(builtins), **given}
    scripting.run_guarded(code, namespace, Output(), 5000)
    return namespace


def untouched(folder: Path) -> bool:
    return [one.name for one in folder.iterdir()] == ["kept"] and (folder / "kept").read_text() == "kept"


@pytest.mark.parametrize("name", HEARD)
def test_reaching_out_through_python_raises_the_alarm(name: str, tmp_path: Path) -> None:
    with pytest.raises(core.PolicyError) as breach:
        run_unguarded(HEARD[name])
    assert breach.value.code == "script_breach"
    assert untouched(tmp_path)


@pytest.mark.parametrize("name", HELD)
def test_what_python_does_not_report_is_held_back(name: str, tmp_path: Path) -> None:
    before = [os.write, os.stat, threading.Thread.start, signal.signal, signal.getsignal(signal.SIGTERM)]
    with pytest.raises(core.PolicyError) as breach:
        run_unguarded(HELD[name])
    assert breach.value.code == "script_breach"
    assert untouched(tmp_path)
    assert before == [os.write, os.stat, threading.Thread.start, signal.signal, signal.getsignal(signal.SIGTERM)]


def test_other_threads_are_not_delayed() -> None:
    seen: list[Any] = []
    go, gone = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        seen.append(os.stat("kept").st_size)
        gone.set()

    thread = threading.Thread(target=work)
    thread.start()
    run_unguarded("go.set()\ngone.wait(3)", go=go, gone=gone)
    thread.join()
    assert seen == [4]


@pytest.mark.parametrize("name", HIDDEN)
def test_a_script_ends_even_if_it_catches_the_alarm(name: str, tmp_path: Path) -> None:
    reached: list[int] = []
    with pytest.raises(core.PolicyError) as breach:
        run_unguarded(HIDDEN[name].replace("{}", "__import__('os').system('touch touched')"), reached=reached)
    assert breach.value.code == "script_breach"
    assert untouched(tmp_path)


def test_the_error_names_the_event_and_the_file_is_restored() -> None:
    before = sorted(one.name for one in bpy.data.objects)
    code = "import bpy, os\nbpy.data.objects.remove(bpy.data.objects[0])\nos.system('true')"
    from geonode_assistant.host import checkpoint

    begun = checkpoint.Checkpoint()
    with pytest.raises(core.PolicyError) as breach:
        run_unguarded(code)
    begun.restore()
    assert breach.value.details["event"] == "os.system" and "os.system" in str(breach.value)
    assert sorted(one.name for one in bpy.data.objects) == before


def test_code_that_a_script_leaves_behind_raises_the_alarm(tmp_path: Path) -> None:
    """A finaliser, a function that was kept, a thread: code of a script raises the alarm whenever it runs."""
    kept = run_unguarded(
        "import os\nclass A:\n    def __del__(self, os=os):\n        os.system('touch touched')\nlast = A()\n"
        "def later():\n    os.system('touch touched')\n"
    )
    with pytest.raises(RuntimeError, match="left behind"):
        kept["later"]()
    thread = threading.Thread(target=lambda: pytest.raises(RuntimeError, kept["later"]))
    thread.start()
    thread.join()
    kept.clear()
    gc.collect()
    assert untouched(tmp_path)


def test_the_alarm_is_silent_when_no_script_runs(tmp_path: Path) -> None:
    run_unguarded("x = 1")
    (tmp_path / "written").write_text(str(eval("1 + 1")))
    assert (tmp_path / "written").read_text() == "2"
    code = compile("import os\nos.listdir('.')", "<script>", "exec")
    with pytest.raises(RuntimeError, match="left behind"):
        exec(code, {})
    exec(compile("import os\nos.listdir('.')", "<another>", "exec"), {})
    # Nor on another thread while one runs.
    found: list[Any] = []
    started, done = threading.Event(), threading.Event()

    def other() -> None:
        started.wait()
        found.append((tmp_path / "written").read_text())
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    run_unguarded("started.set()\ndone.wait()", started=started, done=done)
    thread.join()
    assert found == ["2"]


def test_changes_to_shared_modules_and_classes_are_found_and_restored() -> None:
    attempts = {
        "collections.Counter.update = print": "Counter.update",
        "random.random = print": "random.random",
        "builtins.len = print": "builtins.len",
        "builtins.new = print": "builtins.new",
        "json.JSONEncoder.default = print": "JSONEncoder.default",
        "bpy.types.Object.location = 3": "Object.location",
        "bpy.types.Object.evil = print": "Object.evil",
        "scripting.sizes.bounded = print": "sizes.bounded",
        "sys.modules['evil'] = 3": "Python's modules",
        "sys.modules['json'] = random": "Python's modules",
    }
    names = "import collections, random, builtins, json, bpy, sys\nfrom geonode_assistant import scripting\n"
    for source, told in attempts.items():
        with pytest.raises(core.PolicyError) as breach:
            run_unguarded(names + source)
        assert told in str(breach.value), source
    assert collections.Counter.update is not print and random.random is not print
    assert not hasattr(builtins, "new") and not hasattr(bpy.types.Object, "evil")
    assert "evil" not in sys.modules and sys.modules["json"].__name__ == "json"
    assert run_unguarded("x = 1")["x"] == 1


def test_another_thread_removes_folders_meanwhile(tmp_path: Path) -> None:
    """Python compares functions of `os` by identity there."""
    failures: list[BaseException] = []
    ended = threading.Event()

    def remove() -> None:
        while not ended.is_set():
            (tmp_path / "folder" / "inner").mkdir(parents=True)
            try:
                shutil.rmtree(tmp_path / "folder")
            except BaseException as error:
                failures.append(error)

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        for _ in range(20):
            api.run_script("import bpy\nnames = [str(i) for i in range(500)]\nbpy.context.scene.frame_end = 30\n")
    finally:
        ended.set()
        thread.join()
    assert not failures


def test_safe_mode_refuses_to_run_without_the_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without audit events no script runs. In this process they work, which is asserted first."""
    assert core.alarm_ready()
    namespaces = []
    monkeypatch.setattr(alarm, "prepare", lambda source: namespaces.append(source))
    assert api.run_script("x = 1").namespace == {"x": 1} and namespaces


def test_handlers_of_other_add_ons_are_suspended_while_a_script_runs() -> None:
    heard: list[str] = []

    def other(*_: Any) -> None:
        heard.append(open(__file__).readline())

    bpy.app.handlers.depsgraph_update_post.append(other)
    bpy.app.handlers.frame_change_post.append(other)
    try:
        scripting.execute("import bpy\nbpy.context.scene.frame_set(9)\nbpy.context.object.location.x = 4\n")
        assert heard == []
        assert other in bpy.app.handlers.frame_change_post and other in bpy.app.handlers.depsgraph_update_post
        bpy.context.scene.frame_set(3)
        assert heard
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(other)
        bpy.app.handlers.frame_change_post.remove(other)


def test_a_handler_that_a_script_adds_is_found_beside_suspended_ones() -> None:
    def other(*_: Any) -> None: ...

    bpy.app.handlers.frame_change_post.append(other)
    try:
        with pytest.raises(core.PolicyError, match="handlers"):
            run_unguarded("import bpy\nbpy.app.handlers.frame_change_post.append(print)")
        assert list(bpy.app.handlers.frame_change_post) == [other]
    finally:
        bpy.app.handlers.frame_change_post.remove(other)


def test_ordinary_scripts_raise_no_alarm() -> None:
    random.seed(3)
    made = api.run_script(
        "import traceback, statistics\nimport numpy as np\nfrom collections import namedtuple\n"
        "from dataclasses import dataclass\nfrom datetime import datetime\nfrom typing import NamedTuple\n"
        "@dataclass(order=True)\nclass A:\n    x: int\n    y: float = 2.0\n"
        "P = namedtuple('P', 'a b')\nclass Q(NamedTuple):\n    a: int = 1\n"
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    text = traceback.format_exc()\n"
        "when = datetime.strptime('2026-01-02', '%Y-%m-%d').year\n"
        "sums = [float(np.median([1, 2, 3])), float(abs(np.fft.fft([1, 2])[0])), statistics.mean([1, 2])]\n"
        "made = [A(1) < A(2), P(1, 2).b, Q().a]\n"
    ).namespace
    assert "ZeroDivisionError" in made["text"] and made["when"] == 2026
    assert made["sums"] == [2.0, 3.0, 1.5] and made["made"] == [True, 2, 1]


def test_an_operator_in_python_that_fails_is_the_scripts_error_and_no_breach() -> None:
    """Blender prints the error, which reads frames and would read the operator's file."""
    from bl_operators import add_mesh_torus

    real = add_mesh_torus.AddTorus.execute

    def fails(self: Any, context: Any) -> set[str]:
        raise ValueError("of the operator")

    bpy.utils.unregister_class(add_mesh_torus.AddTorus)
    add_mesh_torus.AddTorus.execute = fails
    bpy.utils.register_class(add_mesh_torus.AddTorus)
    try:
        with pytest.raises(core.CoreError, match="of the operator") as failed:
            api.run_script("import bpy\nbpy.ops.mesh.primitive_torus_add()")
        assert failed.value.code == "script_failed"
    finally:
        bpy.utils.unregister_class(add_mesh_torus.AddTorus)
        add_mesh_torus.AddTorus.execute = real
        bpy.utils.register_class(add_mesh_torus.AddTorus)


def test_a_package_of_blender_is_imported_whole_by_a_script() -> None:
    """In a process in which nothing else has imported its modules: Python would look for their files meanwhile."""
    inner = [name for name in policy.policy().modules if name.startswith("bpy_extras.")]
    assert len(inner) > 3
    source = "import bpy_extras\nfrom bpy_extras.object_utils import world_to_camera_view\n"
    places = [str(Path(module.__file__ or "").parents[1]) for module in (core, geonode_assistant)]
    done = subprocess.run(
        [sys.executable, "-c", f"from geonode_assistant import scripting\nscripting.execute({source!r})\nprint('ran')"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "ran" in done.stdout, done.stdout + done.stderr
