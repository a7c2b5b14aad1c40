# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacements for `logging`, `traceback` and `pprint`: they print into the script's result."""

from __future__ import annotations

import logging
import pprint
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .. import native
from .output import Output, Stream


def _format_trace(places: Callable[[TracebackType | None], list[str]]) -> str:
    """The text of the exception that the script is handling, with its own lines only."""
    kind, error, trace = sys.exc_info()
    if kind is None:
        return "NoneType: None\n"
    return "".join(["Traceback (most recent call last):\n", *places(trace), f"{kind.__name__}: {error}\n"])


def _places(trace: TracebackType | None) -> list[str]:
    """The lines of the script in a traceback. Reads frames and calls no code of the script."""
    lines = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == "<script>":
            lines.append(f'  File "<script>", line {trace.tb_lineno}, in {code.co_name}\n')
        trace = trace.tb_next
    return lines


LOGGER_MEMBERS = frozenset({"setLevel", "debug", "info", "warning", "error", "critical", "exception"})
"""The attributes that a script may read from a logger."""


class Logger:
    """The logger that a script gets: it prints messages from the level on that the script has set."""

    __slots__ = ("__level__", "__name__", "__output__", "__trace__")

    def __init__(self, output: Output, name: str, level: list[int], format_trace: Callable[[], str]) -> None:
        self.__output__, self.__name__, self.__level__, self.__trace__ = output, name, level, format_trace

    def setLevel(self, level: int) -> None:  # noqa: N802  as it is called there
        """Sets the level for all of the script."""
        self.__level__[0] = level

    def _log(self, level: int, text: Any, args: tuple[Any, ...]) -> None:
        if level >= self.__level__[0]:
            message = str(text) % args if args else str(text)
            self.__output__.print(f"{logging.getLevelName(level)}:{self.__name__}:{message}")

    def debug(self, text: Any, *args: Any) -> None:
        """Prints a debug message."""
        self._log(logging.DEBUG, text, args)

    def info(self, text: Any, *args: Any) -> None:
        """Prints an info message."""
        self._log(logging.INFO, text, args)

    def warning(self, text: Any, *args: Any) -> None:
        """Prints a warning."""
        self._log(logging.WARNING, text, args)

    def error(self, text: Any, *args: Any) -> None:
        """Prints an error."""
        self._log(logging.ERROR, text, args)

    def critical(self, text: Any, *args: Any) -> None:
        """Prints a critical error."""
        self._log(logging.CRITICAL, text, args)

    def exception(self, text: Any, *args: Any) -> None:
        """Prints an error with the exception that is being handled."""
        self._log(logging.ERROR, text, args)
        self.__output__.print(self.__trace__(), end="")


def _logging(output: Output, format_trace: Callable[[], str]) -> dict[str, Any]:
    level = [logging.WARNING]
    root = Logger(output, "root", level, format_trace)

    def configure(*args: Any, **kwargs: Any) -> None:
        # `stream=sys.stdout` is where it prints.
        if "filename" in kwargs or "handlers" in kwargs or type(kwargs.get("stream", Stream())) is not Stream:
            raise ValueError("logging in a script only prints into its result")
        root.setLevel(kwargs.get("level", logging.WARNING))

    def logger(name: str = "root") -> Logger:
        return Logger(output, name, level, format_trace)

    functions = {name: getattr(root, name) for name in ("debug", "info", "warning", "error", "critical", "exception")}
    return {"basicConfig": configure, "getLogger": logger, **functions}


def modules(output: Output) -> dict[str, dict[str, Any]]:
    """The members for one script, by module."""

    places = native.core().alarm_free(_places)

    def format_trace() -> str:
        return _format_trace(places)

    def format_exc(*args: Any, **kwargs: Any) -> str:
        return format_trace()

    def print_exc(*args: Any, **kwargs: Any) -> None:
        output.print(format_trace(), end="")

    def pretty(value: Any, *args: Any, **kwargs: Any) -> None:
        output.print(pprint.pformat(value))

    return {
        "sys": {"stdout": Stream(), "stderr": Stream()},
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "pprint": {"pprint": pretty},
        "logging": _logging(output, format_trace),
    }
