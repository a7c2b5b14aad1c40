# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends this process with the one that started it, however that ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import NoReturn


def end_with_input() -> None:
    """Ends this process, and those that it started if they are a group of their own, once standard input ends.

    The process that started it holds the other end of a pipe. What is read from standard input afterwards is empty.
    """
    try:
        pipe = os.dup(0)
    except OSError:
        # There is none: a Blender for Windows may have closed it.
        return
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            _be_killed_by(pipe)
    threading.Thread(target=_wait, args=(pipe,), name="attended", daemon=True).start()


if sys.platform == "linux":

    def _be_killed_by(pipe: int) -> None:
        # The system does it, also while Blender computes and lets no thread of Python's run.
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETOWN, -os.getpgrp() if _leads() else os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def _wait(pipe: int) -> None:
    while os.read(pipe, 4096):
        pass
    _end()


def _end() -> NoReturn:
    if sys.platform != "win32":
        kill = os.killpg if _leads() else os.kill
        kill(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _leads() -> bool:
    return sys.platform != "win32" and os.getpgrp() == os.getpid()
