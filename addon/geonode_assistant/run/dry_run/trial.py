# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches the process of a dry run and limits its time, memory and output.

Does not use ``bpy``. Invariants: one poll takes no longer than a few file reads; however a trial ends, neither a
process nor a file is left; whatever the process does or writes becomes a result here, never an exception.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import uuid
import weakref
from pathlib import Path
from typing import Any

from ...host import told
from . import job as jobs
from .sealed import Process, SealedProcess

REPORT, OUTPUT = "report.json", "output.txt"
REPORT_BYTES, OUTPUT_BYTES, OUTPUT_TAIL_BYTES, TEXT_CHARACTERS, LINES = 32 << 20, 64 << 20, 1 << 16, 600, 20
# How long ``stop(wait=True)`` waits for the process to end, in seconds.
END_S = 2.0
# What Blender, C++ and Python print when memory runs out.
OUT_OF_MEMORY = (b"alloc returns null", b"bad_alloc", b"MemoryError", b"Unable to allocate", b"out of memory")
# Blender's own are a few for each core.
MOST_THREADS = 1024
# More than that no process uses.
MOST_MB = 1 << 24
# By how much the disk may fill up meanwhile, whichever way: files have a limit of their own, but not their number.
DISK_BYTES = 4 << 30
BREACH = (
    "The sandbox ended the dry run: the script tried to reach the network, another program or another process. "
    "Nothing that edits a scene needs this."
)
# The environment variables that are passed on to the process; no keys among them.
PASSED_ON = frozenset(
    "PATH LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH DYLD_LIBRARY_PATH SYSTEMROOT WINDIR COMSPEC NUMBER_OF_PROCESSORS".split()
)

_alive: weakref.WeakSet[Trial] = weakref.WeakSet()


class Trial:
    """A dry run under way."""

    def __init__(
        self, command: list[str], folder: Path, seconds: float, megabytes: int, readable: list[str] | None = None
    ) -> None:
        """Starts ``command``, which writes ``REPORT`` into ``folder``; that is the trial's own and removed with it.

        Limits: ``seconds`` of wall time, ``megabytes`` of resident memory. With ``readable`` it is sealed, and reads
        only that and the libraries of the system. Raises OSError when it cannot be started.
        """
        self._folder = folder
        self._seconds, self._megabytes = seconds, megabytes
        self._peak = 0
        self._reaper: threading.Thread | None = None
        self._started = time.monotonic()
        self._process: Process
        self._job: jobs.Job | None = None
        self._free = free_bytes(folder)
        if readable is None:
            self._process, self._job = _open(command, folder)
        else:
            self._process = SealedProcess(command, folder, OUTPUT, environment(folder), readable, seconds)
        _alive.add(self)

    def poll(self) -> dict[str, Any] | None:
        """The result once it is over, else None."""
        status = self._process.poll()
        seconds = time.monotonic() - self._started
        if status is not None:
            return self._ended(status, seconds)
        self._peak = max(self._peak, resident_mb(self._process))
        if seconds > self._seconds or self._peak > self._megabytes:
            # It may be over all but for the comparison of a record with its script.
            report = read_report(self._folder / REPORT)
            if report is not None:
                return _result(report, seconds, self._peak)
        if self._peak > self._megabytes:
            return self._failed("dry_run_memory", self._too_large(), seconds)
        if self._output_size() > OUTPUT_BYTES:
            return self._failed(
                "dry_run_crashed",
                "The dry run was stopped because its output did not end.",
                seconds,
            )
        if self._filled() > DISK_BYTES:
            return self._failed("dry_run_crashed", "The dry run was stopped because the disk was filling up.", seconds)
        if threads(self._process) > MOST_THREADS:
            return self._failed("dry_run_crashed", "The dry run was stopped because it kept starting threads.", seconds)
        if seconds > self._seconds:
            text = f"The dry run was stopped after {self._seconds:g} s: the plan takes longer and may freeze Blender."
            return self._failed("dry_run_timeout", text, seconds)
        return None

    def made(self, name: str) -> bytes:
        """A file that the process made beside its report. Raises OSError if there is none."""
        with (self._folder / name).open("rb") as stream:
            return stream.read(REPORT_BYTES)

    def stopped(self) -> dict[str, Any]:
        """The result to report when the artist has stopped the trial."""
        seconds = time.monotonic() - self._started
        return self._failed("cancelled", f"The dry run was stopped after {seconds:.0f} s.", seconds)

    def stop(self, wait: bool = False) -> None:
        """Ends the process and everything it started, and removes the folder."""
        if self._reaper is None:
            _kill(self._process, self._job)
            # A process that uses much memory takes a moment to end; a thread waits for that.
            self._reaper = threading.Thread(target=self._reap, name="geonode-trial", daemon=True)
            self._reaper.start()
        if wait:
            self._reaper.join(END_S)

    def _reap(self) -> None:
        with contextlib.suppress(Exception):
            self._process.wait()
        remove(self._folder)
        _alive.discard(self)

    def _ended(self, status: int, seconds: float) -> dict[str, Any]:
        report = read_report(self._folder / REPORT)
        if report is not None:
            return _result(report, seconds, self._peak)
        if isinstance(self._process, SealedProcess):
            if status == -signal.SIGSYS:
                return self._failed("sandbox_breach", BREACH, seconds)
            if status == -signal.SIGXCPU:
                return self._failed("dry_run_timeout", "The dry run ended at its limit of processor time.", seconds)
        if any(word in self._output_tail() for word in OUT_OF_MEMORY):
            return self._failed("dry_run_memory", self._too_large(), seconds)
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        text = f"The dry run ended without a result ({how}): the plan may crash Blender."
        return self._failed("dry_run_crashed", text, seconds)

    def _too_large(self) -> str:
        return f"The dry run was stopped at its limit of {self._megabytes} MB: the plan needs more memory than that."

    def _failed(self, code: str, text: str, seconds: float) -> dict[str, Any]:
        return {"ok": False, "code": code, "text": text, "seconds": round(seconds, 1), "peak_mb": self._peak}

    def _filled(self) -> int:
        """By how many bytes the disk of the trial's folder has filled up; 0 where the system does not tell."""
        now = free_bytes(self._folder)
        return self._free - now if self._free is not None and now is not None else 0

    def _output_size(self) -> int:
        try:
            return (self._folder / OUTPUT).stat().st_size
        except OSError:
            return 0

    def _output_tail(self) -> bytes:
        """The end of what the process printed."""
        try:
            with (self._folder / OUTPUT).open("rb") as stream:
                stream.seek(max(0, os.fstat(stream.fileno()).st_size - OUTPUT_TAIL_BYTES))
                return stream.read(OUTPUT_TAIL_BYTES)
        except OSError:
            return b""


def _open(command: list[str], folder: Path) -> tuple[subprocess.Popen[bytes], jobs.Job | None]:
    """A process that nothing seals; on Windows in a job, without which it does not run."""
    with (folder / OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment(folder),
            start_new_session=True,
            creationflags=jobs.NO_WINDOW | jobs.OWN_GROUP if sys.platform == "win32" else 0,
        )
    if sys.platform != "win32":
        return process, None
    try:
        return process, jobs.Job(handle_of(process), jobs.kernel())
    except BaseException:
        process.kill()
        process.wait()
        raise


def handle_of(process: subprocess.Popen[bytes]) -> int:
    """What Windows calls the process."""
    return int(process._handle)  # type: ignore[attr-defined]  # noqa: SLF001


def environment(folder: Path) -> dict[str, str]:
    """The environment of a trial's process: enough to run, its own folder as home, nothing of the user's."""
    kept = {name: value for name, value in os.environ.items() if name.upper() in PASSED_ON}
    own = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "BLENDER_USER_RESOURCES", "XDG_CACHE_HOME")
    return {**kept, **dict.fromkeys(own, str(folder))}


def read_report(path: Path) -> dict[str, Any] | None:
    """The report that the process wrote; None if it is missing, too large or not a report."""
    try:
        with path.open("rb") as stream:
            data = stream.read(REPORT_BYTES + 1)
        report = json.loads(data) if len(data) <= REPORT_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    return report if isinstance(report, dict) and report.get("status") in ("done", "error", "cancelled") else None


def _result(report: dict[str, Any], seconds: float, peak: int) -> dict[str, Any]:
    """The result that the artist is shown; the size of every part is limited, whatever the process wrote."""
    messages = [m for m in _list(report.get("messages")) if isinstance(m, dict)]
    errors = [m for m in messages if m.get("severity") == "error"]
    value = report.get("gates")
    gates: dict[str, Any] = value if isinstance(value, dict) else {}
    told_mb = report.get("peak_mb")
    peak = max(peak, told_mb) if isinstance(told_mb, int) and told_mb < MOST_MB else peak
    made = [_text(line) for line in _list(report.get("made"))]
    names = told.names(report.get("names"))
    out: dict[str, Any] = {
        "ok": report["status"] == "done",
        "seconds": round(seconds, 1),
        "peak_mb": peak,
        "made": made,
        "did": [*told.describe(names or {}), *(_text(line) for line in _list(report.get("said")))],
        "failed_gates": [_text(gate) for gate in _list(gates.get("failed_gates"))],
    }
    if out["ok"] and isinstance(report.get("picture"), dict):
        out["picture"] = report["picture"]
    if out["ok"] and names is not None:
        out["names"] = names
        # For the core, which checks them.
        out |= {key: report[key] for key in ("records", "unrecorded") if isinstance(report.get(key), dict)}
    if out["ok"]:
        what = f" It makes {'; '.join(made)}." if made else ""
        return {**out, "text": f"It worked on a copy of the file, in {out['seconds']:g} s.{what}"}
    worst = errors[0] if errors else {}
    code = _text(worst.get("code")) or "internal_error"
    if code == "internal_error" and "memory" in _text(worst.get("text")):
        code = "dry_run_memory"
    reason = _text(worst.get("text")) or "no reason was given."
    return {**out, "code": code, "text": f"The dry run failed: {reason}"}


def _list(value: Any) -> list[Any]:
    return value[:LINES] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:TEXT_CHARACTERS] if isinstance(value, str) else ""


def remove(folder: Path) -> None:
    """Removes a folder with everything in it, also what is nested deeper than a path reaches or must not be entered:
    the folders in it are taken up one by one.
    """
    waiting = [folder]
    while waiting:
        inner = waiting.pop()
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(inner)):
                with contextlib.suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                        continue
                    os.chmod(entry.path, 0o700)
                    waiting.append(folder / uuid.uuid4().hex)
                    os.rename(entry.path, waiting[-1])
            os.rmdir(inner)
    with contextlib.suppress(OSError):
        folder.rmdir()


def free_bytes(folder: Path) -> int | None:
    """What is free where a folder lies; None where the system does not tell."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def threads(process: Process) -> int:
    """How many threads the process has; 0 where the system does not tell."""
    try:
        return len(os.listdir(f"/proc/{process.pid}/task"))
    except OSError:
        return 0


def resident_mb(process: Process) -> int:
    """The memory in use by the process in megabytes; 0 where the system cannot measure it."""
    try:
        if isinstance(process, SealedProcess):
            used = _resident(process.pid)
        elif sys.platform == "win32":
            used = _working_set(process)
        elif sys.platform == "darwin":
            used = _task_memory(process.pid)
        else:
            used = _resident(process.pid)
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
    return used >> 20


def _resident(pid: int | None) -> int:
    """Bytes, as Linux tells."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _task_memory(pid: int) -> int:
    """``resident_size`` of ``struct proc_taskinfo``, its second field."""
    import ctypes

    info = ctypes.create_string_buffer(96)
    proc_pidtaskinfo = 4
    size = ctypes.CDLL("libproc.dylib").proc_pidinfo(pid, proc_pidtaskinfo, ctypes.c_uint64(0), info, len(info))
    return struct.unpack_from("=QQ", info)[1] if size == len(info) else 0


def _working_set(process: subprocess.Popen[bytes]) -> int:
    """``WorkingSetSize`` of ``PROCESS_MEMORY_COUNTERS``: two 32-bit numbers, then sizes."""
    import ctypes

    word = ctypes.sizeof(ctypes.c_size_t)
    counters = ctypes.create_string_buffer(8 + 8 * word)
    handle = ctypes.c_void_p(handle_of(process))
    ask = ctypes.CDLL("kernel32").K32GetProcessMemoryInfo
    return struct.unpack_from("N", counters, 8 + word)[0] if ask(handle, counters, len(counters)) else 0


def _kill(process: Process, job: jobs.Job | None) -> None:
    with contextlib.suppress(OSError):
        if job is not None:
            job.end()
        elif isinstance(process, SealedProcess):
            process.kill()
        elif os.name == "posix":
            # Processes of the group may outlive its first one.
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()


@atexit.register
def _end_all() -> None:
    """Ends all trials when Blender quits."""
    for trial in list(_alive):
        trial.stop(wait=True)
