# SPDX-License-Identifier: GPL-3.0-or-later
"""What we ask of Windows itself: jobs, files that somebody holds, how a loop is stopped; without Blender."""

from __future__ import annotations

import ctypes
import importlib.util
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="asks Windows")

ADDON = Path(__file__).parents[2] / "addon/geonode_assistant"
JOB = ADDON / "run/dry_run/job.py"
CHILD = """
import pathlib, subprocess, sys, time
wait = [sys.executable, "-c", "import time; time.sleep(60)"]
pathlib.Path(sys.argv[1]).write_text(f"{subprocess.Popen(wait).pid}.")
time.sleep(60)
"""
OWNER = """
import importlib.util, os, pathlib, subprocess, sys, time
spec = importlib.util.spec_from_file_location("job", sys.argv[1])
job = importlib.util.module_from_spec(spec)
spec.loader.exec_module(job)
child = subprocess.Popen([sys.executable, "-c", sys.argv[2], sys.argv[3]])
held = job.Job(int(child._handle), job.kernel())
note = pathlib.Path(sys.argv[3])
while not (note.exists() and note.read_text().endswith(".")):
    time.sleep(0.02)
print(child.pid, flush=True)
os.abort()
"""


def load(path: Path) -> ModuleType:
    """A module of the add-on by itself: the add-on as a whole needs Blender."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_running(pid: int) -> bool:
    kernel = ctypes.CDLL("kernel32")
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(0x100000, 0, pid)
    if not handle:
        return False
    timed_out = kernel.WaitForSingleObject(ctypes.c_void_p(handle), 0) == 258
    kernel.CloseHandle(ctypes.c_void_p(handle))
    return timed_out


def comes_true(condition: Callable[[], bool]) -> bool:
    """Far more time than needed, since the machine may be busy."""
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "sum(1 for _ in iter(int, 1))",
        "while True:\n try:\n  while True: pass\n except Exception: pass",
        "try:\n while True: pass\nfinally:\n while True: pass",
    ],
)
def test_a_loop_is_stopped_as_the_watchdog_does_it(source: str) -> None:
    """``watchdog.rs``: from a thread without the interpreter's lock, again and again until it has ended."""

    class Stopped(BaseException):
        pass

    def stop(_signal: int, _frame: object) -> None:
        raise Stopped

    # Not Python's own view of itself, which would take the lock.
    python = ctypes.CDLL(f"python{sys.version_info[0]}{sys.version_info[1]}")
    ended, sigbreak = threading.Event(), 21

    def insist() -> None:
        while not ended.wait(0.02):
            python.PyErr_SetInterruptEx(sigbreak)

    before = signal.signal(sigbreak, stop)
    watchdog = threading.Thread(target=insist)
    watchdog.start()
    try:
        with pytest.raises(Stopped):
            exec(source, {})
    finally:
        signal.signal(sigbreak, lambda *_: None)
        ended.set()
        watchdog.join()
        signal.signal(sigbreak, before)


def test_a_job_ends_a_process_and_what_it_started(tmp_path: Path) -> None:
    job, note = load(JOB), tmp_path / "pid"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(note)],
        creationflags=job.NO_WINDOW | job.OWN_GROUP,
    )
    made = job.Job(int(vars(child)["_handle"]), job.kernel())
    assert comes_true(lambda: note.exists() and note.read_text().endswith("."))
    grandchild = int(note.read_text()[:-1])
    assert child.poll() is None and is_running(grandchild)
    made.end()
    assert comes_true(lambda: child.poll() is not None and not is_running(grandchild))


def test_nothing_in_a_job_survives_a_crash_of_its_owner(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    owner = subprocess.run(
        [sys.executable, "-c", OWNER, str(JOB), CHILD, str(note)], capture_output=True, text=True, check=False
    )
    assert owner.returncode != 0 and owner.stdout, owner.stderr
    child, grandchild = int(owner.stdout), int(note.read_text()[:-1])
    assert comes_true(lambda: not is_running(child) and not is_running(grandchild))


@pytest.mark.parametrize("held", ["old", "new"])
def test_a_file_that_is_held_for_a_moment_is_replaced(tmp_path: Path, held: str) -> None:
    replace = load(ADDON / "host/replacing.py").replace
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    new.write_text("new")
    kernel = ctypes.CDLL("kernel32")
    kernel.CreateFileW.restype = ctypes.c_void_p

    def hold() -> ctypes.c_void_p:
        # Opened to read, and shared with nobody, as virus scanners do.
        handle = kernel.CreateFileW(str(tmp_path / held), 0x80000000, 0, None, 3, 0, None)
        assert handle not in (None, 2**64 - 1)
        return ctypes.c_void_p(handle)

    handle = hold()
    with pytest.raises(PermissionError):
        replace(new, old)
    threading.Timer(0.1, lambda: kernel.CloseHandle(handle)).start()
    replace(new, old)
    assert old.read_text() == "new" and not new.exists()
