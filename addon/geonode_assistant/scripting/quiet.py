# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python does by itself while a script runs, without the files that it would read for that.

A warning, and an error that an operator or a finaliser prints, is shown with the line of the source where it arose:
Python looks the file up, which raises the alarm although the script did nothing. Meanwhile the sources are not
looked up. ``prepare`` loads the codecs that a script names, since Python imports each on first use.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import linecache
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from .errors import Guarded

_CODEC = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,19}\Z")


@contextlib.contextmanager
def by_itself() -> Iterator[None]:
    """While it lasts Python shows warnings and errors without their sources. Filters of warnings, how numpy
    prints and what it reports, which a script may set, are restored.
    """
    looked_up = linecache.updatecache, linecache.checkcache
    numpy: Any = sys.modules.get("numpy")
    printed = numpy.get_printoptions() if numpy is not None else {}
    reported = (numpy.geterr(), numpy.geterrcall()) if numpy is not None else ({}, None)
    with warnings.catch_warnings():
        warnings.showwarning = _show
        linecache.updatecache = _nothing
        linecache.checkcache = _unchanged
        # Pythons before 3.13 print errors in C, which opens the file of each frame.
        limited = vars(sys).get("tracebacklimit", sys)
        if sys.version_info < (3, 13):
            sys.tracebacklimit = 0
        try:
            yield
        finally:
            linecache.updatecache, linecache.checkcache = looked_up
            if printed and numpy.get_printoptions() != printed:
                numpy.set_printoptions(**printed)
            if reported[0] and (numpy.geterr(), numpy.geterrcall()) != reported:
                numpy.seterr(**reported[0])
                numpy.seterrcall(reported[1])
            if limited is not sys:
                sys.tracebacklimit = limited
            elif "tracebacklimit" in vars(sys):
                del sys.tracebacklimit


def prepare(source: str) -> None:
    """Loads the codecs that the text of a script names; Python remembers those that do not exist too."""
    if not any(word in source for word in ("code", "bytes", "str(")):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            for one in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(one, ast.Constant) and type(one.value) is str and _CODEC.match(one.value):
                    with contextlib.suppress(LookupError):
                        codecs.lookup(one.value)


# -- `warnings`, as a script gets it


def catch_warnings(*, record: bool = False, **how: Any) -> Any:
    """As Python's, without recording."""
    if record or how:
        raise Guarded("catch_warnings() takes no arguments in safe mode.")
    return warnings.catch_warnings()


def simplefilter(action: str, category: type[Warning] = Warning, lineno: int = 0, append: bool = False) -> None:
    """As Python's, until the script ends."""
    warnings.simplefilter(action, category, lineno, append)  # type: ignore[arg-type]


def filterwarnings(action: str, message: str = "", category: type[Warning] = Warning, **how: Any) -> None:
    """As Python's, until the script ends, with plain text as the beginning of a message."""
    if how or type(message) is not str or re.escape(message) != message.replace(" ", "\\ "):
        raise Guarded("filterwarnings() takes an action, a category and a message of letters, numbers and spaces.")
    warnings.filterwarnings(action, message, category)  # type: ignore[arg-type]


def warn(message: str, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """As Python's, for texts."""
    if type(message) is not str:
        raise Guarded("warn() takes a text.")
    warnings.warn(message, category, stacklevel=2)


MODULES: dict[str, dict[str, Any]] = {
    "warnings": {one.__name__: one for one in (catch_warnings, filterwarnings, simplefilter, warn)}
}


def _show(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    to = file or sys.stderr
    if to is not None:
        with contextlib.suppress(OSError):
            to.write(f"{filename}:{lineno}: {category.__name__}: {message}\n")


def _nothing(filename: str, module_globals: Any = None) -> list[str]:
    return []


def _unchanged(filename: str | None = None) -> None:
    return None
