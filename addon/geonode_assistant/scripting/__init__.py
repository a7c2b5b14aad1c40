# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out Python scripts. Safe mode is made of layers, each of which holds without the others:

1. ``verdict``: the core's rules judge the text (``rust/script``).
2. ``compiled``: what CPython makes of that very text is held against the same lists.
3. ``instrument``, ``membrane``: the first wall. Every attribute, item and call of a script goes through a native guard
   that knows the type of the object; what no list knows is refused.
4. ``names``, ``modules``, ``guards``, ``sizes``, ``managed``, ``talk``: a small table of builtins,
   modules with the listed members, bounds where Blender multiplies numbers, names of attributes that a script
   computes. ``expected``: what node trees would make, before Blender evaluates them.
5. the core's watchdog: bounds of time and memory (``geonode_core.run_bounded``).
6. ``alarm``: the second wall. What the interpreter tells of a script, which ends at the first event that none needs.
7. ``host.surroundings``: what outlives a script is compared, and put back.

What a script did to the file is taken back by the caller (``host.checkpoint``).
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from .. import native
from ..messages import AssistantError
from . import alarm, compiled, expected, instrument, names, policy, sizes
from .errors import Guarded, failed, policy_error
from .output import Output
from .verdict import ScriptFinding, Verdict, check_script

__all__ = ["ScriptFinding", "ScriptResult", "Verdict", "check_script", "execute", "run"]

MODES = ("safe", "trusted")
SHORTEST_MS, LONGEST_MS = 1, 600_000
_OF_LITERALS = frozenset({"join", "split", "items", "keys", "values", "get", "strip", "upper", "lower", "encode"})
_UNSAFE_IN_PATTERNS = frozenset({"view", "data", "dumps", "flags", "base", "pixels", "format", "resize"})
"""Attributes that are listed for some types only, or that have a guard; patterns read past both."""
_TRUSTED = "<trusted script>"
"""The file of a script that the artist trusts; code of the other file is never without an alarm."""
_STOPPED = frozenset({"script_timeout", "script_memory", "script_breach"})


@dataclass(frozen=True)
class ScriptResult:
    """What a script that ended by itself leaves behind."""

    stdout: str
    """What it printed; cut at ``output.LIMIT`` characters."""
    namespace: dict[str, Any]
    """Its public global names with their values; no modules. Blender's data in it is valid until the next undo."""
    duration_ms: float


def execute(source: str, *, mode: str = "safe", timeout_ms: int = 4000) -> ScriptResult:
    """Carries out a script on Blender's main thread. It takes nothing back, and leaves the undo history alone.

    ``safe``: refused is ``PolicyError`` with ``script_refused`` (``details["findings"]``: dicts as in ``Verdict``),
    ``script_mismatch`` or, afterwards, ``script_breach``. ``trusted``: runs as it is, with the limits only; the caller
    has asked the artist about this very script. Both: ``ScriptTimeout`` (``script_timeout``, ``script_memory``), and
    ``CoreError`` with ``script_failed`` for the script's own exception (``details``: ``exception``, ``line``,
    ``stdout``).
    """
    return _ready(source, mode, timeout_ms)()


def run(source: str, mode: str, timeout_ms: int) -> ScriptResult:
    """``execute`` as one undo step; when it raises, the file is as it was."""
    from ..host import checkpoint

    carry_out = _ready(source, mode, timeout_ms)
    begun = checkpoint.Checkpoint()
    try:
        result = carry_out()
    except BaseException:
        begun.restore()
        raise
    begun.commit("Python script")
    return result


def _ready(source: str, mode: str, timeout_ms: int) -> Callable[[], ScriptResult]:
    """Everything that can be refused before the script runs; what is returned runs it."""
    if mode not in MODES:
        raise AssistantError("invalid_argument", f"mode is one of {', '.join(MODES)}, not {mode!r}.")
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or not SHORTEST_MS <= timeout_ms <= LONGEST_MS:
        raise AssistantError(
            "invalid_argument", f"timeout_ms is a whole number from {SHORTEST_MS} to {LONGEST_MS}, not {timeout_ms!r}."
        )
    if mode == "trusted":
        return _ready_trusted(source, timeout_ms)
    verdict = check_script(source)
    if not verdict.ok:
        first = verdict.findings[0]
        raise policy_error(
            "script_refused",
            f"Safe mode refuses this script, line {first.line}: {first.text} {first.hint}",
            findings=[vars(finding) for finding in verdict.findings],
        )
    if "numpy" in verdict.source:
        importlib.import_module(".numeric", __name__)  # the bound on arrays needs numpy loaded before the script runs
    alarm.prepare(verdict.source)
    output = Output()
    code = prepared(verdict.source, verdict.own)
    namespace = {"__name__": "__main__", "__builtins__": names.table(verdict.own, output)}
    return lambda: guarded(code, namespace, output, timeout_ms)


def prepared(source: str, own: frozenset[str]) -> CodeType:
    """The code of a text that the core allowed, with its guards; ``PolicyError`` when Python reads it otherwise."""
    allowed = policy.policy()
    try:
        plain = compile(source, "<script>", "exec", dont_inherit=True, optimize=0)
        tree = instrument.instrumented(
            source,
            bounds=frozenset(allowed.bounds),
            modules=frozenset(allowed.modules),
            members=_OF_LITERALS,
            patterns=allowed.attributes - sizes.METHODS - _UNSAFE_IN_PATTERNS,
        )
        code = compile(tree, "<script>", "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise policy_error(
            "script_mismatch", f"Python cannot compile this script, line {line}: {error}.", line=line
        ) from error
    compiled.check(plain, allowed, own)
    return code


def guarded(code: CodeType, namespace: dict[str, Any], output: Output, timeout_ms: int) -> ScriptResult:
    """Carries out compiled code under the alarm and within bounds, and puts back what it changed beyond the file."""
    from ..host import stillness, surroundings

    before = surroundings.Surroundings()
    shared = alarm.kept()
    expected.begin()
    try:
        with stillness.Stillness():
            result = _run(code, namespace, output, timeout_ms, alarmed=True)
            _expect(output)
        return result
    finally:
        changed = before.put_back() + shared.put_back()
        if changed:
            # Weighs more than whatever else went wrong.
            raise policy_error(
                "script_breach",
                f"The script changed what scripts must not touch: {', '.join(changed)}. It was put back.",
                changed=changed,
                stdout=output.text(),
            )


def _expect(output: Output) -> None:
    """Raises when Blender would have to evaluate next what no Blender bears."""
    try:
        expected.check(last=True)
    except Guarded as error:
        raise failed(f"After its last line: {error}", exception="Guarded", line=1, stdout=output.text()) from error


def _ready_trusted(source: str, timeout_ms: int) -> Callable[[], ScriptResult]:
    try:
        code = compile(source, _TRUSTED, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise failed(f"{type(error).__name__}: {error}", exception=type(error).__name__, line=1, stdout="") from error
    output = Output()
    namespace = {"__name__": "__main__", "__builtins__": {**vars(builtins), "print": output.print}}
    return lambda: _run(code, namespace, output, timeout_ms)


def _run(
    code: CodeType, namespace: dict[str, Any], output: Output, timeout_ms: int, alarmed: bool = False
) -> ScriptResult:
    core = native.core()
    begin = time.perf_counter()
    try:
        with contextlib.redirect_stdout(output):  # reports of operators
            core.run_bounded(code, namespace, timeout_ms, alarmed=alarmed)
    except (core.ScriptTimeout, core.PolicyError) as error:
        if getattr(error, "code", "") not in _STOPPED:
            raise failed(_said(error), exception=type(error).__name__, line=1, stdout=output.text()) from error
        error.details["stdout"] = output.text()
        raise
    except (Exception, SystemExit) as error:
        line = _line(error)
        text = f"Line {line}: {type(error).__name__}: {_said(error)}"
        raise failed(text, exception=type(error).__name__, line=line, stdout=output.text()) from error
    duration = (time.perf_counter() - begin) * 1000
    return ScriptResult(output.text(), _public(namespace), duration)


def _line(error: BaseException) -> int:
    """The script's own last line on the way to the exception."""
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename in ("<script>", _TRUSTED):
            line = at.tb_lineno
        at = at.tb_next
    return line


_TELL = compile("text = str(error)[:2000]", "<text of an exception>", "exec")


def _said(error: BaseException) -> str:
    """The text of an exception, within bounds: a class of the script may fail or never end at that."""
    namespace: dict[str, Any] = {"error": error}
    try:
        native.core().run_bounded(_TELL, namespace, 500, alarmed=True)
    except Exception:
        return "(without a text)"
    return namespace["text"]


def _public(namespace: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in namespace.items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
