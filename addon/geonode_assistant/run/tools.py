# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for models: registration by scripts, and the calls of one reply as the host carries them out.

The core validates arguments and results, enforces limits and records the calls; this module only calls the functions.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .. import native
from ..messages import AssistantError, failure

if TYPE_CHECKING:
    from .protocol import HostCall, HostError, HostResult

Steps = Generator[str, None, Mapping[str, Any]]
"""A call in steps: yields in words how far it is, returns the result."""
Function = Callable[[dict[str, Any]], Mapping[str, Any] | Steps]
Target = Mapping[str, Any]

_log = logging.getLogger(__name__)
_functions: dict[str, Function] = {}
_egress: dict[str, frozenset[str]] = {}
_running_tool: str | None = None
"""The tool whose function is running; calls come one at a time, on the main thread."""


def register_tool(
    id: str,
    description: str,
    input_schema: dict[str, Any],
    output_schema: dict[str, Any],
    function: Function,
    *,
    pure: bool = False,
    writes: bool = False,
    requires_approval: bool = False,
    timeout_s: float = 10.0,
    quota: int = 50,
    egress: Sequence[str] = (),
) -> None:
    """Adds the tool ``id`` (snake_case), which models may call before they plan, and, unless it ``writes``, other
    programs that the artist lets in after this.

    ``function(arguments)`` gets a dict that fits ``input_schema`` and returns one that fits ``output_schema`` (JSON
    Schemas of objects). It runs on Blender's main thread and must only read; an exception with a ``code`` is passed to
    the model, any other becomes ``internal_error`` and its traceback goes to the local log. It cannot be interrupted: a
    result that comes after ``timeout_s`` seconds is discarded. It may be a generator: what it yields says how far it
    is, what it returns is the result, and Blender draws in between if it was another program that called. ``pure``:
    equal arguments give equal results as long as the scene is unchanged. ``requires_approval``: the artist is asked
    before each call. ``writes``: it changes the file; a run does not call such a tool, because only the changes of a
    plan can be restored. ``quota``: calls per run; further ones are refused. ``egress``: the hosts that it may connect
    to; its function calls ``tool_egress(host)`` before each connection.

    Raises ``extension_invalid`` if the id is taken or the schema is bad. Runs that are under way cannot use it.
    """
    if not callable(function):
        raise AssistantError("extension_invalid", f"The function of the tool {id!r} is not callable.")
    native.core().register_tool(
        {
            "id": id,
            "description": description,
            "input_schema": input_schema,
            "output_schema": output_schema,
            "pure": pure,
            "writes": writes,
            "requires_approval": requires_approval,
            "timeout_s": timeout_s,
            "quota": quota,
            "egress": list(egress),
        }
    )
    _functions[id] = function
    _egress[id] = frozenset(host.lower() for host in egress)


def tool_egress(host: str) -> None:
    """Called by the function of a tool before each connection that it makes.

    Raises ``egress_denied`` unless the running tool was registered with ``host`` in its ``egress``; outside a tool call
    no host is allowed. A function that does not call this is not stopped: register only functions that you trust.
    """
    if host.lower() not in _egress.get(_running_tool or "", frozenset()):
        if _running_tool is None:
            raise AssistantError("egress_denied", f"No tool is running that may connect to {host!r}.")
        raise AssistantError(
            "egress_denied",
            f"The tool {_running_tool!r} may not connect to {host!r}: its egress does not list this host.",
        )


def unregister(id: str) -> bool:
    """Removes a tool that a script registered; returns whether there was one."""
    _functions.pop(id, None)
    _egress.pop(id, None)
    return native.core().unregister_tool(id)


def is_registered(id: str) -> bool:
    """Whether a script has added a tool of this ID."""
    return id in _functions


def call(id: str, arguments: Mapping[str, Any]) -> Steps:
    """Carries out a tool that a script has added, in steps. Raises what its function raises."""
    function = _functions.get(id)
    if function is None:
        raise AssistantError("unknown_tool", f"The tool {id!r} has been unregistered.")
    result: Any = _as_running(id, lambda: function(dict(arguments)))
    if isinstance(result, Generator):
        steps = result
        try:
            while (step := _as_running(id, lambda: _next(steps))).goes_on:
                yield str(step.value)
            result = step.value
        finally:
            steps.close()
    if not isinstance(result, Mapping):
        raise AssistantError("return_invalid", f"The tool {id!r} did not return a dict.")
    return dict(result)


class _Step(NamedTuple):
    goes_on: bool
    value: Any


def _next(steps: Generator[Any, None, Any]) -> _Step:
    try:
        return _Step(True, next(steps))
    except StopIteration as end:
        return _Step(False, end.value)


def _as_running(tool: str, act: Callable[[], Any]) -> Any:
    """What ``act`` returns, which is the tool's own code."""
    global _running_tool
    _running_tool = tool
    try:
        return act()
    finally:
        _running_tool = None


def call_all(calls: list[HostCall], target: Target) -> list[HostResult]:
    """The results of the calls, in order: ``{"ok", "result"?, "error"?, "ms"}``. Never raises for a tool that fails."""
    return [_call(call["tool"], call["arguments"], target) for call in calls]


def _call(tool: str, arguments: dict[str, Any], target: Target) -> HostResult:
    started = time.perf_counter()
    answer: HostResult
    try:
        answer = {"ok": True, "result": _run(tool, arguments, target)}
    except Exception as error:
        if not isinstance(getattr(error, "code", None), str):
            _log.exception("The tool %s failed", tool)
        answer = {"ok": False, "error": cast("HostError", failure(error))}
    answer["ms"] = (time.perf_counter() - started) * 1000
    return answer


def _run(tool: str, arguments: dict[str, Any], target: Target) -> Any:
    from ..host import model_tools

    built_in = model_tools.TOOLS.get(tool)
    if built_in is not None:
        return built_in(arguments, target)
    step, steps = _Step(True, ""), call(tool, arguments)
    while step.goes_on:
        step = _next(steps)
    return step.value
