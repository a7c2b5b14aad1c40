# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs Python scripts. Safe mode consists of layers, each of which works without the others:

1. ``verdict``: the core's rules check the text (``rust/script``).
2. ``compiled``: the code that CPython compiles from this text is compared with the same lists.
3. ``instrument``, ``membrane``, ``own_classes``: the first wall. Every attribute, item and call of a script goes
   through a native guard that decides by the type of the object; whatever is not listed is refused.
4. ``names``, ``modules``, ``guards``, ``sizes``, ``managed``, ``printing``: a small table of builtins,
   modules with the listed members, limits where Blender multiplies numbers, checks of attribute names that a script
   computes. ``expected``: estimates of what node trees would make, before Blender evaluates them.
   ``removals``, ``mesh_removals``: what was in the file before is removed only where the artist could be asked.
   ``older``: what Blender refuses is done in today's way where a script for another Blender certainly means that.
5. the core's watchdog: limits of time and memory (``geonode_core.run_bounded``).
6. ``alarm``: the second wall. Audit events of the interpreter end a script at the first event that no script needs.
   ``quiet``: what Python does by itself (warnings, codecs) raises none.
7. ``host.surroundings``: state that outlives a script is compared and restored.

The caller restores the changes of a script to the file (``host.checkpoint``).
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from types import CodeType, ModuleType
from typing import Any

from .. import native
from ..messages import AssistantError
from . import (
    alarm,
    bytecode_check,
    expected,
    freed,
    instrument,
    making,
    mesh_removals,
    module_code,
    names,
    older,
    policy,
    quiet,
    removals,
    with_blocks,
)
from .errors import Guarded, failed, policy_error
from .output import Output
from .recorder import Recorder
from .replay import Replay
from .verdict import ScriptFinding, Verdict, check_script

__all__ = ["ScriptFinding", "ScriptResult", "Verdict", "carry_out", "check_script", "execute", "run"]

MODES = ("safe", "trusted")
_OF_LITERALS = frozenset({"join", "split", "items", "keys", "values", "get", "upper", "lower", "encode"})
_TRUSTED = "<trusted script>"
"""The file name of a trusted script. Code with the other file name always runs with the alarm."""
REMOVES_NODES = "script_removes_nodes"
"""The code of a question about nodes of a tree that may be the script's own."""
_STOPPED = frozenset({"script_timeout", "script_memory", "script_breach", "script_unbounded"})


@dataclass(frozen=True)
class ScriptResult:
    """The result of a script that ended normally."""

    stdout: str
    """Its printed output, cut at ``output.LIMIT`` characters."""
    namespace: dict[str, Any]
    """Its public global names with their values, without modules. Blender's data in it is valid until the next undo."""
    duration_ms: float
    rewrites: tuple[str, ...] = ()
    """What it does in the way of an older Blender, and how it was done here."""
    doubts: tuple[str, ...] = ()
    """What may be meant otherwise than it was done."""
    abandoned: tuple[str, ...] = ()
    """What nothing uses any more, so that it is lost when the file is saved."""


def execute(
    source: str,
    *,
    mode: str = "safe",
    timeout_ms: int = 4000,
    removable: Collection[int] | None = (),
    recorder: Recorder | None = None,
) -> ScriptResult:
    """Runs a script on Blender's main thread. Restores nothing and makes no undo step. A ``recorder`` writes down what
    it does, in safe mode.

    ``safe``: a refusal raises ``PolicyError`` with ``script_refused`` (``details["findings"]``: dicts as in
    ``Verdict``), ``script_mismatch`` or, afterwards, ``script_breach``. ``trusted``: only the limits apply; the caller
    must have asked the artist about exactly this script. Both raise ``ScriptTimeout`` (``script_timeout``,
    ``script_memory``), and ``CoreError`` with ``script_failed`` for an exception of the script (``details``:
    ``exception``, ``line``, ``stdout``).

    ``removable``: the ``session_uid`` of the data-blocks that a safe script may remove where ``Verdict.asks`` does not
    tell; None: all of them.
    """
    return _prepare(source, mode, timeout_ms, removable, recorder)()


def carry_out(record: dict[str, Any], timeout_ms: int, removable: Collection[int] | None = None) -> ScriptResult:
    """Carries out a record on Blender's main thread instead of its script; restores nothing. The result has no names:
    the script has not run. ``removable``: as of ``execute``.

    Raises ``record_mismatch`` when an entry does not fit the file, and what ``execute`` raises for limits and breaches.
    """
    alarm.prepare("")
    expected.prepare()
    replay = Replay(record)
    code = compile("carry_out()", "<record>", "exec", dont_inherit=True)
    output = Output()
    result = run_guarded(code, {"carry_out": replay.carry_out, "__builtins__": {}}, output, timeout_ms, removable)
    replay.check()
    return replace(result, stdout=record["output"], namespace={})


def run(source: str, mode: str = "safe", timeout_ms: int = 4000, unasked: bool = False) -> ScriptResult:
    """``execute`` as one undo step; if it raises, the file is unchanged. Whoever calls it has asked the artist, unless
    ``unasked``: then nothing that was there is removed.
    """
    from ..host import checkpoint

    carry_out = _prepare(source, mode, timeout_ms, asking=not unasked)
    begun = checkpoint.Checkpoint()
    try:
        result = carry_out()
    except BaseException:
        begun.restore()
        raise
    begun.commit("Python script")
    return result


def check_arguments(mode: str, timeout_ms: int) -> None:
    """Raises ``invalid_argument`` for an unknown mode or a time out of bounds."""
    if mode not in MODES:
        raise AssistantError("invalid_argument", f"mode must be one of {', '.join(MODES)}, not {mode!r}.")
    shortest, longest = native.bounds("max_python_ms")
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or not shortest <= timeout_ms <= longest:
        raise AssistantError(
            "invalid_argument", f"timeout_ms must be an integer from {shortest} to {longest}, not {timeout_ms!r}."
        )


def check(source: str) -> Verdict:
    """The verdict about a script that safe mode accepts; raises ``PolicyError`` (``script_refused``) for any other."""
    verdict = check_script(source)
    if not verdict.ok:
        first = verdict.findings[0]
        raise policy_error(
            "script_refused",
            f"Safe mode refuses this script, line {first.line}: {first.text} {first.hint}",
            findings=[vars(finding) for finding in verdict.findings],
        )
    return verdict


def _prepare(
    source: str,
    mode: str,
    timeout_ms: int,
    removable: Collection[int] | None = (),
    recorder: Recorder | None = None,
    asking: bool = True,
) -> Callable[[], ScriptResult]:
    """Does all checks that are possible before the script runs; returns the function that runs it."""
    check_arguments(mode, timeout_ms)
    if mode == "trusted":
        return _prepare_trusted(source, timeout_ms)
    verdict = check(source)
    if "numpy" in verdict.source:
        importlib.import_module(".numeric", __name__)  # the limit on arrays needs numpy loaded before the script runs
    alarm.prepare(verdict.source)
    expected.prepare()
    output = Output()
    asked = frozenset(one.line for one in verdict.asks) if asking else frozenset()
    code = compile_guarded(verdict.source, verdict.own, asked, recorder)
    namespace = {"__name__": "__main__", "__builtins__": names.table(verdict.own, output, recorder)}
    older.current().listens = not older.adapts(verdict.source)
    return lambda: run_guarded(code, namespace, output, timeout_ms, removable)


def compile_guarded(
    source: str, own: frozenset[str], asked: frozenset[int] = frozenset(), recorder: Recorder | None = None
) -> CodeType:
    """Compiles a text that the core allowed, with guards. Raises ``PolicyError`` if Python reads it differently.

    ``asked``: the lines whose removals the artist was asked about.
    """
    allowed = policy.policy()
    try:
        plain = compile(source, "<script>", "exec", dont_inherit=True, optimize=0)
        tree = instrument.instrumented(
            source,
            bounds=frozenset(allowed.bounds),
            modules=frozenset(allowed.modules),
            members=_OF_LITERALS,
            own=own,
            asked=asked,
        )
        if recorder is not None:
            tree = recorder.instrumented(tree)
        code = module_code.compiled(tree, plain)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise policy_error(
            "script_mismatch", f"Python cannot compile this script, line {line}: {error}.", line=line
        ) from error
    bytecode_check.check(plain, allowed, own)
    return code


def run_guarded(
    code: CodeType,
    namespace: dict[str, Any],
    output: Output,
    timeout_ms: int,
    removable: Collection[int] | None = (),
) -> ScriptResult:
    """Runs compiled code under the alarm and the limits, and restores what it changed outside the file."""
    from ..host import callbacks, surroundings

    before = surroundings.Surroundings()
    freed.prepare()
    shared = alarm.save_shared()
    expected.begin()
    older.prepare()
    removals.begin(removable)
    mesh_removals.begin()
    freed.begin()
    numeric: Any = sys.modules.get(f"{__name__}.numeric")
    polynomials = numeric.polynomials() if numeric is not None else contextlib.nullcontext()
    try:
        with callbacks.OwnCallbacksOnly(), quiet.by_itself(), making.counting(), polynomials:
            try:
                result = _run(code, namespace, output, timeout_ms, alarmed=True)
            finally:
                with_blocks.leave()
            _check_expected(output)
        earlier = older.current()
        return replace(
            result,
            rewrites=tuple(earlier.notes()),
            doubts=tuple(earlier.doubts()),
            abandoned=tuple(removals.abandoned()),
        )
    finally:
        freed.end()
        expected.end()
        older.end()
        alarm.forget_types()
        changed = before.put_back() + shared.put_back()
        if changed:
            # Takes precedence over any other exception.
            raise policy_error(
                "script_breach",
                f"The script changed what scripts must not change: {', '.join(changed)}. This was restored.",
                changed=changed,
                stdout=output.text(),
            )


def _check_expected(output: Output) -> None:
    """Raises if Blender would next have to evaluate more than it can handle, or objects would be lost unasked."""
    try:
        expected.check(last=True)
        removals.finish()
    except Guarded as error:
        how = type(error).__name__
        raise failed(f"After its last line: {error}", exception=how, line=1, stdout=output.text()) from error


def _prepare_trusted(source: str, timeout_ms: int) -> Callable[[], ScriptResult]:
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
            raise failed(_error_text(error), exception=type(error).__name__, line=1, stdout=output.text()) from error
        error.details["stdout"] = output.text()
        raise
    except (Exception, SystemExit) as error:
        line = _line(error)
        text = f"Line {line}: {type(error).__name__}: {_error_text(error)}"
        raise failed(text, exception=type(error).__name__, line=line, stdout=output.text()) from error
    duration = (time.perf_counter() - begin) * 1000
    return ScriptResult(output.text(), _public(namespace), duration)


def _line(error: BaseException) -> int:
    """The line of the script at which the exception occurred."""
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename in ("<script>", _TRUSTED):
            line = at.tb_lineno
        at = at.tb_next
    return line


_TELL = compile("text = str(error)[:2000]", "<text of an exception>", "exec")


def _error_text(error: BaseException) -> str:
    """The text of an exception, computed under the limits: a script's own class may raise or loop endlessly here."""
    namespace: dict[str, Any] = {"error": error}
    try:
        native.core().run_bounded(_TELL, namespace, 500, alarmed=True)
    except Exception:
        return "(no text)"
    return namespace["text"]


def _public(namespace: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in namespace.items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
