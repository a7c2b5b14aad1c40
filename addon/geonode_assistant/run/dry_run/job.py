# SPDX-License-Identifier: GPL-3.0-or-later
"""A job of Windows around the process of a dry run: it ends with everything that it started, and when Blender does.

Elsewhere a process group and the system's own signals do the same; this is not used there.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

KILL_ON_CLOSE, NO_CRASH_DIALOG = 0x2000, 0x400
EXTENDED_LIMITS = 9
# No window of a console appears; Ctrl+C in Blender's console does not reach it.
NO_WINDOW, OWN_GROUP = 0x08000000, 0x00000200


class _Basic(ctypes.Structure):
    """``JOBOBJECT_BASIC_LIMIT_INFORMATION``."""

    _fields_ = [
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("most_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    ]


class Limits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = [
        ("basic", _Basic),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process", ctypes.c_size_t),
        ("peak_job", ctypes.c_size_t),
    ]


class Job:
    """The job; the system ends its processes when the last handle is closed, also if Blender crashes."""

    def __init__(self, handle: int, kernel: Any) -> None:
        """Puts the process behind ``handle`` into a new job. Raises OSError where the system refuses."""
        self._kernel = kernel
        self._job: int | None = _pointer(kernel.CreateJobObjectW)(None, None)
        if not self._job:
            raise OSError("Windows gives no job to the dry run")
        limits = Limits()
        limits.basic.flags = KILL_ON_CLOSE | NO_CRASH_DIALOG
        job, size = ctypes.c_void_p(self._job), ctypes.c_uint32(ctypes.sizeof(limits))
        told = kernel.SetInformationJobObject(job, ctypes.c_int(EXTENDED_LIMITS), ctypes.pointer(limits), size)
        if not told or not kernel.AssignProcessToJobObject(job, ctypes.c_void_p(handle)):
            self.end()
            raise OSError("Windows does not put the dry run into its job")

    def end(self) -> None:
        """Ends everything in the job; once is enough."""
        job, self._job = self._job, None
        if job is not None:
            self._kernel.TerminateJobObject(ctypes.c_void_p(job), ctypes.c_uint32(1))
            self._kernel.CloseHandle(ctypes.c_void_p(job))

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.end()


def _pointer(function: Any) -> Any:
    """The function, whose result is as wide as a pointer."""
    function.restype = ctypes.c_void_p
    return function


def kernel() -> Any:
    """The library of these functions."""
    return ctypes.CDLL("kernel32")
