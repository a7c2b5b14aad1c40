# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks that run in the process of a trial, behind the sandbox alone: plain Python with ``ctypes``, no other wall.

The arguments are those of ``run/dry_run/process.py``, which opens the copy first, as for every trial. Writes by the
name of each attack what became of it: what the system answered, or ``REACHED``.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import mmap
import os
import platform
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

REACHED = "REACHED"
JOB = json.loads(Path(sys.argv[-1]).read_text(encoding="utf-8"))
GIVEN: dict[str, Any] = JOB["attacked"]
PARENT = os.getppid()
OUTSIDE, SECRET, READABLE = GIVEN["outside"], GIVEN["secret"], GIVEN["readable"]
libc = ctypes.CDLL(None, use_errno=True)
# Numbers of system calls, x86-64 and (the second) ARM. Newer ones have the same everywhere.
CALLS = {
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "mq_open": (240, 180), "perf_event_open": (298, 241), "bpf": (321, 280),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "unshare": (272, 97), "setns": (308, 268), "clone3": (435, 435), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "init_module": (175, 105), "finit_module": (313, 273),
    "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224), "sethostname": (170, 161),
    "settimeofday": (164, 170), "adjtimex": (159, 171), "personality": (135, 92), "syslog": (103, 116),
    "acct": (163, 89), "quotactl": (179, 60), "process_madvise": (440, 440), "pidfd_open": (434, 434),
    "kcmp": (312, 272), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "sched_setattr": (314, 274), "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "mlockall": (151, 230), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "seccomp": (317, 277), "capset": (126, 91), "setsid": (112, 157), "setpgid": (109, 154), "vhangup": (153, 58),
    "openat2": (437, 437), "fallocate": (285, 47), "flock": (73, 32), "get_robust_list": (274, 100),
    "kill_group": (62, 129), "clock_settime": (227, 112), "mknodat": (259, 33), "symlinkat": (266, 36),
    "linkat": (265, 37), "statmount": (457, 457), "listmount": (458, 458), "setgroups": (116, 159),
    "pkey_alloc": (330, 289), "landlock": (444, 444), "process_mrelease": (448, 448), "utimensat": (280, 88),
    "fsconfig": (431, 431),
}  # fmt: skip
ATTACKS: dict[str, Callable[[], Any]] = {}


def call(name: str, *args: Any) -> int:
    """A system call; raises OSError as the system answers."""
    number = CALLS[name][0 if platform.machine() == "x86_64" else 1]
    done = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(one) if isinstance(one, int) else one for one in args))
    if done < 0:
        raise OSError(ctypes.get_errno(), name)
    return done


def text(path: str) -> ctypes.c_char_p:
    return ctypes.c_char_p(os.fsencode(path))


def attack(act: Callable[[], Any]) -> None:
    ATTACKS[act.__name__.replace("_", " ")] = act


for path in (
    SECRET, OUTSIDE, "/", "/root", "/home", "/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/machine-id", "/root/.ssh",
    GIVEN["home"], f"{GIVEN['home']}/.ssh/id_ed25519", f"{GIVEN['home']}/.config", "/tmp", "/var/tmp", "/var/log",
    "/dev/shm", "/dev/tty", "/dev/ptmx", "/dev/mem", "/dev/kmsg", "/dev/dri", "/dev/fuse", "/run", "/run/user", "/sys",
    "/sys/kernel", "/sys/class/net", "/proc", "/proc/1/environ", f"/proc/{PARENT}/environ", f"/proc/{PARENT}/mem",
    f"/proc/{PARENT}/maps", f"/proc/{PARENT}/cmdline", f"/proc/{PARENT}/fd", f"/proc/{PARENT}/root/etc/passwd",
    f"/proc/{PARENT}/cwd", f"/proc/{PARENT}/task", "/proc/net/tcp", "/proc/net/unix", "/proc/kallsyms",
    "/proc/mounts", "/proc/self/environ", "/proc/self/mem", "/proc/self/fd", "/proc/self/root", "/proc/self/cwd/../..",
    "/proc/sys/kernel", "/proc/sysrq-trigger", "../..", "/usr/bin", "/bin/sh", "/lib/../etc/passwd",
    "/usr/lib/../../etc/passwd",
):  # fmt: skip

    def read(path: str = path) -> Any:
        return os.listdir(path) if os.path.isdir(path) else os.close(os.open(path, os.O_RDONLY))

    ATTACKS[f"read {path}"] = read

for path in (
    f"{OUTSIDE}/new", SECRET, "/tmp/geonode-new", "/var/tmp/geonode-new", "/dev/shm/geonode-new", "/root/new", READABLE,
    f"{JOB['package']}/new.py", f"{JOB['package']}/__init__.py", os.__file__, "/usr/lib/new",
    "/proc/self/oom_score_adj", f"/proc/{PARENT}/oom_score_adj", "/proc/sys/kernel/core_pattern",
    f"{GIVEN['home']}/new",
    "../new",
):  # fmt: skip

    def write(path: str = path) -> Any:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND))

    ATTACKS[f"write {path}"] = write

for name, args in {
    "shmget": (0, 4096, 0o1600), "semget": (0, 1, 0o1600), "msgget": (0, 0o1600), "keyctl": (0, -3, 0),
    "perf_event_open": (0, 0, -1, -1, 0), "bpf": (0, 0, 0), "userfaultfd": (0,), "io_uring_setup": (4, bytes(120)),
    "unshare": (0x10000000,), "setns": (0, 0), "clone3": (bytes(88), 88), "init_module": (0, 0, text("")),
    "finit_module": (0, text(""), 0), "kexec_load": (0, 0, 0, 0), "reboot": (1, 2, 0, 0), "sethostname": (text("x"), 1),
    "settimeofday": (0, bytes(8)), "adjtimex": (bytes(208),), "personality": (0x0040000,), "syslog": (3, bytes(64), 64),
    "acct": (0,), "pidfd_open": (PARENT, 0), "kcmp": (PARENT, os.getpid(), 0, 0, 0), "tkill": (PARENT, 0),
    "rt_sigqueueinfo": (PARENT, 0, bytes(128)), "rt_tgsigqueueinfo": (PARENT, PARENT, 0, bytes(128)),
    "sched_setattr": (PARENT, bytes(48), 0), "ioprio_set": (1, PARENT, 0), "migrate_pages": (PARENT, 0, 0, 0),
    "move_pages": (PARENT, 0, 0, 0, 0, 0), "memfd_create": (text("x"), 0), "memfd_secret": (0,), "mlockall": (1,),
    "inotify_init1": (0,), "fanotify_init": (0, 0), "seccomp": (1, 0, 0), "setsid": (), "setpgid": (0, 0),
    "vhangup": (), "umount2": (text("/proc"), 2), "pivot_root": (text("."), text(".")), "swapon": (text("x"), 0),
    "mount": (text("tmpfs"), text("."), text("tmpfs"), 0, 0), "open_tree": (-100, text("/"), 1),
    "fsopen": (text("tmpfs"), 0), "quotactl": (0, 0, 0, 0), "process_madvise": (0, 0, 0, 0, 0),
    "add_key": (text("user"), text("x"), text("x"), 1, -3), "request_key": (text("user"), text("x"), 0, -3),
    "mq_open": (text("x"), 0o102, 0o600, 0), "capset": (bytes(8), bytes(24)), "clock_settime": (0, bytes(16)),
    "name_to_handle_at": (-100, text(READABLE), bytes(200), bytes(8), 0), "open_by_handle_at": (0, bytes(200), 0),
    "get_robust_list": (PARENT, bytes(8), bytes(8)), "mknodat": (-100, text("device"), 0o020600, 0x105),
    "symlinkat": (text(SECRET), -100, text("link")), "linkat": (-100, text(READABLE), -100, text("hard"), 0),
    "statmount": (bytes(24), bytes(512), 512, 0), "listmount": (bytes(24), bytes(512), 64, 0), "setgroups": (0, 0),
    "process_mrelease": (0, 0), "landlock": (0, 0, 1), "openat2": (-100, text(SECRET), bytes(24), 24),
    "utimensat": (-100, text(READABLE), 0, 0), "fsconfig": (0, 0, 0, 0, 0), "pkey_alloc": (0, 0),
}.items():  # fmt: skip

    def ask(name: str = name, args: Any = args) -> Any:
        call(name, *args)

    ATTACKS[f"system call {name}"] = ask


@attack
def a_local_socket() -> None:
    import socket

    socket.socket(socket.AF_UNIX)


@attack
def a_pair_of_sockets() -> None:
    import socket

    socket.socketpair()


@attack
def descriptors_that_were_open_before() -> None:
    """Those of the first process: a file of the artist, a socket that is connected."""
    for number in GIVEN["open"]:
        try:
            what = os.read(number, 64)
        except OSError:
            continue
        if b"canary" in what:
            return
    for number in GIVEN["open"]:
        try:
            os.write(number, b"canary")
        except OSError:
            continue
        return
    raise OSError("none is left")


@attack
def words_of_the_environment() -> None:
    if not any("canary" in value for value in os.environ.values()):
        raise OSError("nothing of the artist's is in it")


@attack
def a_signal_by_way_of_a_file() -> None:
    import fcntl

    read, write = os.pipe()
    fcntl.fcntl(read, 8, PARENT)  # F_SETOWN
    fcntl.fcntl(read, 10, 9)  # F_SETSIG
    fcntl.fcntl(read, fcntl.F_SETFL, 0o20000)  # O_ASYNC


@attack
def a_lease_that_others_wait_for() -> None:
    import fcntl

    fcntl.fcntl(os.open(READABLE, os.O_RDONLY), 1024, 0)  # F_SETLEASE


@attack
def news_of_a_folder() -> None:
    import fcntl

    fcntl.fcntl(os.open(os.path.dirname(os.__file__), os.O_RDONLY), 1026, 0x8000003F)  # F_NOTIFY


@attack
def a_lock_on_what_it_reads() -> None:
    call("flock", os.open(READABLE, os.O_RDONLY), 2)


@attack
def attributes_of_what_it_reads() -> None:
    import fcntl

    given = os.open(READABLE, os.O_RDONLY)
    flags = bytearray(8)
    fcntl.ioctl(given, 0x80086601, flags)  # FS_IOC_GETFLAGS
    fcntl.ioctl(given, 0x40086602, struct.pack("l", struct.unpack("l", flags)[0] ^ 0x40))  # FS_IOC_SETFLAGS, no dump


@attack
def making_what_it_reads_unchangeable() -> None:
    import fcntl

    fcntl.ioctl(os.open(READABLE, os.O_RDONLY), 0x40806685, struct.pack("IIII112x", 1, 1, 4096, 0))  # verity


@attack
def rights_of_what_it_reads() -> None:
    os.fchmod(os.open(READABLE, os.O_RDONLY), 0o777)


@attack
def emptying_what_it_reads() -> None:
    os.truncate(READABLE, 0)


@attack
def a_name_for_a_file_without_one() -> None:
    os.close(os.open(OUTSIDE, os.O_TMPFILE | os.O_WRONLY))


@attack
def a_path_opened_again() -> None:
    found = os.open(SECRET, os.O_PATH)
    os.close(os.open(f"/proc/self/fd/{found}", os.O_RDONLY))


@attack
def moving_a_file_out() -> None:
    Path("mine").write_text("x")
    os.rename("mine", f"{OUTSIDE}/mine")


@attack
def moving_a_file_in() -> None:
    os.rename(SECRET, "stolen")


@attack
def a_link_to_a_secret() -> None:
    os.link(SECRET, "stolen")


@attack
def a_pipe_with_a_name() -> None:
    os.mkfifo("waits")


@attack
def priority_of_its_parent() -> None:
    os.setpriority(os.PRIO_PROCESS, PARENT, 5)


@attack
def processors_of_its_parent() -> None:
    os.sched_setaffinity(PARENT, [0])


@attack
def its_own_limits() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))


@attack
def outliving_its_parent() -> None:
    if libc.prctl(1, 0) != 0:  # PR_SET_PDEATHSIG
        raise OSError(ctypes.get_errno(), "prctl")


@attack
def another_user() -> None:
    os.setuid(12345)


@attack
def another_root() -> None:
    os.chroot(".")


@attack
def poisoning_memory() -> None:
    page = mmap.mmap(-1, 4096)
    at = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if libc.madvise(ctypes.c_void_p(at), 4096, 101) != 0:  # MADV_SOFT_OFFLINE
        raise OSError(ctypes.get_errno(), "madvise")


@attack
def space_without_contents() -> None:
    call("fallocate", os.open("wide", os.O_CREAT | os.O_WRONLY), 0, 0, 1 << 20)


@attack
def memory_beyond_its_limit() -> None:
    try:
        bytearray((JOB["megabytes"] + 600) << 20)
    except MemoryError as error:
        raise OSError("no memory") from error


@attack
def a_file_beyond_its_limit() -> None:
    with open("large", "wb") as stream:
        os.truncate(stream.fileno(), 300 << 20)


@attack
def a_system_call_of_another_kind() -> None:
    """The numbers of x32, which a filter by number may forget."""
    if platform.machine() != "x86_64":
        raise OSError("not on this processor")
    if libc.syscall(ctypes.c_long(0x40000000 | 39)) < 0:
        raise OSError(ctypes.get_errno(), "getpid")


# -- what Blender itself reads and writes


@attack
def blender_saves_outside() -> None:
    import bpy

    bpy.ops.wm.save_as_mainfile(filepath=f"{OUTSIDE}/new.blend", copy=True)


@attack
def blender_saves_its_preferences() -> None:
    import bpy

    bpy.ops.wm.save_userpref()
    if not Path(GIVEN["home"], ".config/blender").exists():
        raise OSError("they lie in its folder")


@attack
def blender_loads_a_library() -> None:
    import bpy

    with bpy.data.libraries.load(f"{OUTSIDE}/library.blend") as (there, _):
        if not there.objects:
            raise OSError("it is empty")


@attack
def blender_writes_a_library() -> None:
    import bpy

    bpy.data.libraries.write(f"{OUTSIDE}/written.blend", set(bpy.data.objects))


@attack
def blender_loads_an_image() -> None:
    import bpy

    if not bpy.data.images.load(f"{OUTSIDE}/picture.png").has_data:
        raise OSError("it has no data")


@attack
def blender_saves_an_image() -> None:
    import bpy

    image = bpy.data.images.new("x", 4, 4)
    image.filepath_raw = f"{OUTSIDE}/made.png"
    image.file_format = "PNG"
    image.save()


@attack
def blender_loads_a_text() -> None:
    import bpy

    bpy.data.texts.load(SECRET)


@attack
def blender_exports() -> None:
    import bpy

    bpy.ops.wm.obj_export(filepath=f"{OUTSIDE}/made.obj")
    if not Path(OUTSIDE, "made.obj").exists():
        raise OSError("nothing came of it")


@attack
def an_event_of_the_file_system() -> None:
    import select

    # Only what watches others counts: timers and queues of its own are allowed.
    select.epoll().register(os.open(READABLE, os.O_RDONLY))


def main() -> None:
    spec = importlib.util.spec_from_file_location("process", Path(JOB["package"], "run/dry_run/process.py"))
    assert spec and spec.loader
    process = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(process)
    sys.path += [entry for entry in JOB["path"] if entry not in sys.path]
    process.limit_time(JOB["seconds"])
    process.opened(JOB)
    became: dict[str, str] = {}
    for name, act in ATTACKS.items():
        try:
            act()
        except (OSError, RuntimeError, ValueError, AttributeError) as error:
            became[name] = f"{type(error).__name__}: {error}"[:120].strip()
        else:
            became[name] = REACHED
    process.write_report(JOB, {"status": "done", "attacks": became})
    os._exit(0)


main()
