# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of modules by which a script says something: they print into its result."""

from __future__ import annotations

import logging
import pprint
import sys
from typing import Any

from .output import Output, Stream


def _told() -> str:
    """The exception that the script is handling, with the lines of the script and nothing of what is around it."""
    kind, error, trace = sys.exc_info()
    if kind is None:
        return "NoneType: None\n"
    lines = ["Traceback (most recent call last):\n"]
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<script>":
            lines.append(f'  File "<script>", line {trace.tb_lineno}, in {trace.tb_frame.f_code.co_name}\n')
        trace = trace.tb_next
    lines.append(f"{kind.__name__}: {error}\n")
    return "".join(lines)


class Logger:
    """What `logging.getLogger()` gives a script: it prints, from the level on that the script has set."""

    __slots__ = ("__level__", "__name__", "__output__")

    def __init__(self, output: Output, name: str, level: list[int]) -> None:
        self.__output__, self.__name__, self.__level__ = output, name, level

    def setLevel(self, level: int) -> None:  # noqa: N802  as it is called there
        """Sets the level for all of the script."""
        self.__level__[0] = level

    def _say(self, level: int, text: Any, args: tuple[Any, ...]) -> None:
        if level >= self.__level__[0]:
            said = str(text) % args if args else str(text)
            self.__output__.print(f"{logging.getLevelName(level)}:{self.__name__}:{said}")

    def debug(self, text: Any, *args: Any) -> None:
        """Says what only the maker of a script wants to know."""
        self._say(logging.DEBUG, text, args)

    def info(self, text: Any, *args: Any) -> None:
        """Says what is done."""
        self._say(logging.INFO, text, args)

    def warning(self, text: Any, *args: Any) -> None:
        """Says what may be wrong."""
        self._say(logging.WARNING, text, args)

    def error(self, text: Any, *args: Any) -> None:
        """Says what is wrong."""
        self._say(logging.ERROR, text, args)

    def critical(self, text: Any, *args: Any) -> None:
        """Says what ends the script."""
        self._say(logging.CRITICAL, text, args)

    def exception(self, text: Any, *args: Any) -> None:
        """Says what is wrong, with the exception that is handled."""
        self._say(logging.ERROR, text, args)
        self.__output__.print(_told(), end="")


def _logging(output: Output) -> dict[str, Any]:
    level = [logging.WARNING]
    root = Logger(output, "root", level)

    def configure(*args: Any, **kwargs: Any) -> None:
        if "filename" in kwargs or "handlers" in kwargs or "stream" in kwargs:
            raise ValueError("logging in a script prints into its result only")
        root.setLevel(kwargs.get("level", logging.WARNING))

    def logger(name: str = "root") -> Logger:
        return Logger(output, name, level)

    said = {name: getattr(root, name) for name in ("debug", "info", "warning", "error", "critical", "exception")}
    return {"basicConfig": configure, "getLogger": logger, **said}


def modules(output: Output) -> dict[str, dict[str, Any]]:
    """The members for one script, by module."""

    def format_exc(*args: Any, **kwargs: Any) -> str:
        return _told()

    def print_exc(*args: Any, **kwargs: Any) -> None:
        output.print(_told(), end="")

    def pretty(value: Any, *args: Any, **kwargs: Any) -> None:
        output.print(pprint.pformat(value))

    return {
        "sys": {"stdout": Stream(), "stderr": Stream()},
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "pprint": {"pprint": pretty},
        "logging": _logging(output),
    }
