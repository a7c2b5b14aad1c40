# SPDX-License-Identifier: GPL-3.0-or-later
"""The terminal of a command: keeps its output separate from Blender's, and lets Ctrl+C end a run cleanly."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TextIO

from ..messages import AssistantError, error_lines, one_line, select_for_artist
from ..run.driver import RunHandle

WORDS = {
    "IDLE": "Starting",
    "PLANNING": "Planning",
    "VALIDATING": "Checking the plan",
    "EXECUTING": "Building the tree",
    "DONE": "Done",
}


class Console:
    """Redirects the process's streams while a command runs.

    Blender and its libraries write to the file descriptors 1 and 2. Inside the context these lead to the debug file, or
    nowhere, and the command's own lines go to the real streams.
    """

    def __init__(self, debug: Path | None = None) -> None:
        self._debug = debug
        self._shown = ""

    def __enter__(self) -> Console:
        sys.stdout.flush()
        sys.stderr.flush()
        sink = os.open(self._debug or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._saved = [os.dup(1), os.dup(2)]
        self._out, self._err = (self._stream(fd) for fd in self._saved)
        for fd in (1, 2):
            os.dup2(sink, fd)
        os.close(sink)
        self._terminal = self._out.isatty()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._clear()
        for stream in (self._out, self._err, sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        for fd, saved in zip((1, 2), self._saved, strict=True):
            os.dup2(saved, fd)
        for stream in (self._out, self._err):
            with contextlib.suppress(OSError):
                stream.close()

    @staticmethod
    def _stream(fd: int) -> TextIO:
        # Characters that the terminal cannot show are escaped instead of raising an error.
        return os.fdopen(fd, "w", encoding=sys.stdout.encoding or "utf-8", errors="backslashreplace", buffering=1)

    def say(self, text: str) -> None:
        """Prints one line on standard output; keeps leading spaces."""
        self._clear()
        indent = text[: len(text) - len(text.lstrip(" "))]
        print(indent + one_line(text), file=self._out)

    def error(self, code: str, message: str, hint: str | None = None) -> None:
        """Prints ``error [code]: message`` and the hint on standard error."""
        self._clear()
        for line in error_lines(code, message, hint):
            print(line, file=self._err)

    def warnings(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Prints the report's warnings for the artist on standard error."""
        self._clear()
        for message in select_for_artist(messages):
            if message.get("severity") == "warning":
                print(f"warning [{message['code']}]: {one_line(message['text'])}", file=self._err)

    def progress(self, text: str) -> None:
        """Shows the current activity; on a terminal only, where each line replaces the previous one."""
        if self._terminal and text != self._shown:
            self._clear()
            print(f"{text} …", end="", file=self._out, flush=True)
            self._shown = text

    def event(self, event: dict[str, Any]) -> None:
        """Shows an event of the run as progress."""
        if event.get("event") == "state":
            self.progress(WORDS.get(event.get("summary", ""), "Working"))
        elif event.get("event") == "progress" and event.get("text"):
            self.progress(one_line(event["text"], 70))

    def log_traceback(self) -> None:
        """Writes the traceback of the current exception to the debug file."""
        with contextlib.suppress(OSError):
            os.write(2, traceback.format_exc().encode("utf-8", "backslashreplace"))

    def _clear(self) -> None:
        if self._shown:
            print("\r\x1b[2K", end="", file=self._out, flush=True)
            self._shown = ""


class Interrupt:
    """Turns Ctrl+C and termination into a request to cancel, so that no exception interrupts a write.

    The first signal cancels the run, which restores what was written; a second one, more than a second later, raises
    KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self._at: float | None = None
        self._handle: RunHandle | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._at is not None and now - self._at > 1:
            raise KeyboardInterrupt
        self._at = self._at or now
        if self._handle is not None:
            self._handle.cancel("cancelled", "Interrupted.")

    @contextlib.contextmanager
    def cancels(self, handle: RunHandle) -> Iterator[None]:
        """A context in which a signal cancels this run."""
        self._handle = handle
        if self._at is not None:
            handle.cancel("cancelled", "Interrupted.")
        try:
            yield
        finally:
            self._handle = None

    def check(self, hint: str = "Nothing was written.") -> None:
        """Raises ``cancelled`` with this hint if a signal was received."""
        if self._at is not None:
            raise AssistantError("cancelled", "Interrupted.", hint)
