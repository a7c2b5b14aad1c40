# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain Python inside the sandbox reaches nothing, even without any other wall."""

from __future__ import annotations

import os
import signal
import socket
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import geonode_core as core
import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="the seal is Linux's")
PATIENCE_S = 30.0
ENTER = "import geonode_core, os, sys; geonode_core.seal_this_process(512)\n"
# What starts a program, opens a socket or touches another process ends the sealed one at once.
FORBIDDEN = -signal.SIGSYS if sys.platform == "linux" else 0


def start(folder: Path, source: str, readable: list[str] | None = None, **limits: int) -> Any:
    """Plain Python, sealed, carries out a text."""
    folder.mkdir(exist_ok=True)
    script = folder / "script.py"
    script.write_text(source)
    paths = sysconfig.get_paths()
    core_file = core.__file__
    assert core_file
    own = [str(Path(core_file).parents[1]), sys.prefix, paths["stdlib"], paths["platstdlib"], paths["purelib"]]
    return core.Sealed.start(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {own[0]!r}); exec(open('script.py').read())"],
        environment={"HOME": str(folder), "LANG": "C.UTF-8"},
        folder=folder,
        output="output.txt",
        readable=[*own, *(readable or [])],
        **{"cpu_seconds": 20, "file_mb": 16, **limits},
    )


def ended(sealed: Any) -> int:
    limit = time.monotonic() + PATIENCE_S
    while (status := sealed.poll()) is None:
        assert time.monotonic() < limit
        time.sleep(0.01)
    return status


def run(folder: Path, source: str, **more: Any) -> tuple[int, str]:
    """Exit status and output of a text that is carried out inside the whole seal."""
    status = ended(start(folder, ENTER + source, **more))
    return status, (folder / "output.txt").read_text()


@linux
def test_an_ordinary_program_runs_in_the_seal(tmp_path: Path) -> None:
    given = tmp_path / "given.txt"
    given.write_text("given")
    source = (
        "import json, math, threading, tempfile\n"
        f"assert open({str(given)!r}).read() == 'given'\n"
        "threads = [threading.Thread(target=math.sqrt, args=(n,)) for n in range(8)]\n"
        "[t.start() for t in threads], [t.join() for t in threads]\n"
        "open('made.txt', 'w').write('x'); os.rename('made.txt', 'kept.txt'); os.mkdir('inner')\n"
        "with tempfile.TemporaryFile() as f: f.write(b'x' * 1000)\n"
        "os.kill(os.getpid(), 0)\n"
        "print(json.dumps(sorted(os.environ)))\n"
    )
    status, said = run(tmp_path / "own", source, readable=[str(given), str(tmp_path / "missing")])
    assert (status, said.strip()) == (0, '["HOME", "LANG"]'), said
    assert (tmp_path / "own/kept.txt").read_text() == "x"


# Each must raise; what comes back is never used.
REFUSED = {
    "reading a file": "open({secret!r}).read()",
    "reading by a descriptor": "os.open({secret!r}, os.O_RDONLY)",
    "listing a folder": "os.listdir({outside!r})",
    "listing the root": "os.listdir('/')",
    "reading the home folder": "os.listdir(os.path.dirname({outside!r}))",
    "reading accounts": "open('/etc/passwd').read()",
    "writing a file": "open({outside!r} + '/new.txt', 'w')",
    "appending": "open({secret!r}, 'a')",
    "emptying": "os.truncate({secret!r}, 0)",
    "emptying while opening": "os.open({secret!r}, os.O_RDONLY | os.O_TRUNC)",
    "emptying what it may read": "os.truncate({given!r}, 0)",
    "removing": "os.remove({secret!r})",
    "moving out": "open('a', 'w').close(); os.rename('a', {outside!r} + '/a')",
    "moving in": "os.rename({secret!r}, 'stolen')",
    "a new folder": "os.mkdir({outside!r} + '/folder')",
    "a link to a file": "os.symlink({secret!r}, 'link')",
    "a hard link": "os.link({given!r}, 'link')",
    "a pipe in its folder": "os.mkfifo('report.json')",
    "rights of a file": "os.chmod({given!r}, 0o777)",
    "rights of an open file": "os.fchmod(os.open({given!r}, os.O_RDONLY), 0o777)",
    "owner of a file": "os.chown({given!r}, 1, 1)",
    "times of a file": "os.utime({given!r}, (1, 1))",
    "attributes of a file": "os.setxattr({given!r}, 'user.x', b'1')",
    "environment of its parent": "open('/proc/%d/environ' % os.getppid(), 'rb').read()",
    "memory of its parent": "open('/proc/%d/mem' % os.getppid(), 'rb')",
    "name of its parent": "open('/proc/%d/cmdline' % os.getppid(), 'rb').read()",
    "processes": "os.listdir('/proc')",
    "shared memory": "open('/dev/shm/left', 'w')",
    "devices": "open('/dev/tty', 'r+')",
    "a local socket": "import socket; socket.socket(socket.AF_UNIX)",
    "a pair of sockets": "import socket; socket.socketpair()",
    "priority of another": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
    "processors of another": "os.sched_setaffinity(os.getppid(), [0])",
    "limits of another": "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))",
    "raising its own limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "another root": "os.chroot('.')",
    "another user": "os.setuid(12345)",
    "another namespace": "import ctypes; os.unshare(0x10000000) if hasattr(os, 'unshare') else 1 / 0",
}


@linux
@pytest.mark.parametrize("name", REFUSED)
def test_plain_python_reaches_nothing(tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    secret, given = outside / "secret.txt", tmp_path / "given.txt"
    for file in (secret, given):
        file.write_text("canary")
        file.chmod(0o644)
    before = [file.stat() for file in (secret, given)]
    attempt = REFUSED[name].format(secret=str(secret), outside=str(outside), given=str(given))
    source = (
        f"try:\n    {attempt}\nexcept (OSError, ValueError, ZeroDivisionError) as error:\n    print('refused', error)\n"
    )
    status, said = run(tmp_path / "own", source + "else:\n    print('REACHED')\n", readable=[str(given)])
    assert status == 0 and said.startswith("refused"), said
    assert sorted(file.name for file in outside.iterdir()) == ["secret.txt"]
    for file, was in zip((secret, given), before, strict=True):
        now = file.stat()
        assert file.read_text() == "canary"
        assert (now.st_mode, now.st_uid, now.st_mtime_ns) == (was.st_mode, was.st_uid, was.st_mtime_ns)


# Each ends the process.
DEADLY = {
    "a program": "import subprocess; subprocess.run(['/bin/true'])",
    "its own program": "os.execv(sys.executable, [sys.executable, '-c', 'print(1)'])",
    "a shell": "os.system('true')",
    "spawning": "os.posix_spawn('/bin/true', ['true'], {{}})",
    "a second process": "os.fork()",
    "a connection": "import socket; socket.create_connection(('127.0.0.1', {port}))",
    "a server": "import socket; socket.socket().bind(('127.0.0.1', 0))",
    "a name": "import socket; socket.getaddrinfo('localhost', 80)",
    "datagrams": "import socket; socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "its parent": "os.kill(os.getppid(), 9)",
    "everybody": "os.kill(-1, 9)",
    "its group's others": "os.kill(0, 9)",
    "tracing": "import ctypes; ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)",
    "foreign memory": "import ctypes; ctypes.CDLL(None).process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "a socket of the kernel": "import socket; socket.socket(16, socket.SOCK_RAW)",
    "a program in memory": "import ctypes; ctypes.CDLL(None).syscall(322 if os.uname().machine == 'x86_64' else 281, "
    "-1, b'', 0, 0, 0x1000)",
    "a thread apart": "import ctypes; ctypes.CDLL(None).syscall(56 if os.uname().machine == 'x86_64' else 220, "
    "0x10000000, 0, 0, 0, 0)",
    "from a thread": "import threading; t = threading.Thread(target=os.fork); t.start(); t.join()",
}


@linux
@pytest.mark.parametrize("name", DEADLY)
def test_what_nobody_does_by_mistake_ends_it(tmp_path: Path, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        source = f"try:\n    {DEADLY[name].format(port=server.getsockname()[1])}\nexcept BaseException: pass\n"
        status, said = run(tmp_path / "own", source + "print('REACHED', flush=True)\n")
        assert (status, said) == (FORBIDDEN, "")
        with pytest.raises(TimeoutError):
            server.accept()


@linux
def test_threads_that_were_there_before_are_sealed_too(tmp_path: Path) -> None:
    source = (
        "import os, threading, geonode_core\n"
        "sealed = threading.Event()\n"
        "def later():\n    sealed.wait()\n    os.fork()\n"
        "t = threading.Thread(target=later); t.start()\n"
        "geonode_core.seal_this_process(512); sealed.set(); t.join(); print('REACHED', flush=True)\n"
    )
    assert ended(start(tmp_path / "own", source)) == FORBIDDEN
    assert (tmp_path / "own/output.txt").read_text() == ""


@linux
def test_files_are_out_of_reach_before_the_process_seals_itself(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    assert ended(start(tmp_path / "own", f"open({str(secret)!r})")) == 1
    said = (tmp_path / "own/output.txt").read_text()
    assert "PermissionError" in said


@linux
def test_limits_hold_at_their_edge(tmp_path: Path) -> None:
    def wrote(megabytes: float) -> str:
        attempt = f"open('f', 'wb').write(b'x' * {int(megabytes * 2**20)}); print('ok')"
        source = f"try:\n    {attempt}\nexcept OSError: print('no')"
        return run(tmp_path / "own", source, file_mb=2)[1].strip()

    def took(megabytes: int) -> str:
        source = f"try:\n    bytearray({megabytes << 20}); print('ok')\nexcept MemoryError: print('no')"
        return run(tmp_path / "own", source)[1].strip()

    assert (wrote(2), wrote(2.5)) == ("ok", "no")
    assert (took(500), took(513)) == ("ok", "no")
    begun = time.monotonic()
    status, _ = run(tmp_path / "own", "while True: pass", cpu_seconds=1)
    assert status == -signal.SIGXCPU and time.monotonic() - begun < PATIENCE_S
    # What ignores the signal is ended all the same.
    source = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    assert run(tmp_path / "own", source, cpu_seconds=1)[0] == -signal.SIGKILL


@linux
def test_a_sealed_process_can_be_stopped_at_any_time(tmp_path: Path) -> None:
    begun = time.monotonic()
    early = start(tmp_path / "early", "import time; time.sleep(60)")
    early.kill()
    assert time.monotonic() - begun < 10
    assert ended(early) == -signal.SIGKILL and early.pid is None
    late = start(tmp_path / "late", "open('here', 'w').close(); import time; time.sleep(60)")
    # Its number is known a moment after it has begun to work.
    while not (tmp_path / "late/here").exists() or late.pid is None:
        time.sleep(0.01)
    assert late.poll() is None and Path(f"/proc/{late.pid}").exists()
    late.kill()
    late.kill()
    assert ended(late) == -signal.SIGKILL
    late.kill()  # nothing happens


@linux
def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        core.Sealed.start(
            ["python"], environment={}, folder=tmp_path, output="o", readable=[], cpu_seconds=1, file_mb=1
        )
    sealed = core.Sealed.start(
        [str(tmp_path / "nowhere")],
        environment={},
        folder=tmp_path,
        output="o",
        readable=[],
        cpu_seconds=1,
        file_mb=1,
    )
    with pytest.raises(core.PolicyError) as refused:
        ended(sealed)
    assert refused.value.code == "sandbox_unavailable"


def test_every_system_says_whether_it_has_a_sandbox() -> None:
    why = core.sandbox_missing()
    assert why is None if sys.platform == "linux" else why and "sandbox" in why


@linux
def test_no_process_outlives_this_one(tmp_path: Path) -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        sealed = start(tmp_path / "own", "import time; time.sleep(60)")
        while sealed.pid is None:
            time.sleep(0.01)
        os.write(write, str(sealed.pid).encode())
        os._exit(0)
    os.waitpid(child, 0)
    pid = int(os.read(read, 32))
    os.close(read), os.close(write)
    limit = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and _alive(pid):
        assert time.monotonic() < limit
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
