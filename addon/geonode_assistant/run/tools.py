# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for models: those that scripts add, and how the host carries out the calls of one reply.

The core validates arguments and results, counts, bounds and records; here a call only becomes the call of a function.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import native
from ..messages import AssistantError, failure

Function = Callable[[dict[str, Any]], Mapping[str, Any]]
Target = Mapping[str, Any]

_log = logging.getLogger(__name__)
_functions: dict[str, Function] = {}
_egress: dict[str, frozenset[str]] = {}
_at_work: str | None = None
"""The tool whose function runs; calls come one at a time, on the main thread."""


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
    """Adds the tool ``id`` (snake_case), which models may call before they plan.

    ``function(arguments)`` gets a dict that fits ``input_schema`` and returns one that fits ``output_schema`` (JSON
    Schemas of objects). It runs on Blender's main thread and only reads; an exception with a ``code`` is told to the
    model, any other is ``internal_error`` and its traceback goes to the local log. It cannot be interrupted: a result
    that comes after ``timeout_s`` does not count. ``pure``: equal arguments give equal results while the scene stays.
    ``requires_approval``: the artist is asked before each call. ``writes``: it changes the file; a run does not call
    such a tool, because only what a plan does can be taken back. ``quota``: calls per run, further ones are refused.
    ``egress``: the hosts that it may send to; its function asks ``tool_egress(host)`` before each connection.

    Raises ``extension_invalid`` for an id that is taken or a bad schema. Runs that are under way do not know it.
    """
    if not callable(function):
        raise AssistantError("extension_invalid", f"The function of the tool {id!r} cannot be called.")
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
    """For the function of a tool, before each connection that it makes.

    Raises ``egress_denied`` unless the contract of the tool that is at work names ``host``; outside a call nothing may
    be sent. Python cannot be kept from connecting without asking: register only functions that you trust.
    """
    if host.lower() not in _egress.get(_at_work or "", frozenset()):
        told = f"The tool {_at_work!r}" if _at_work else "What is no tool at work"
        raise AssistantError("egress_denied", f"{told} may not send to {host!r}: no contract names it.")


def unregister(id: str) -> bool:
    """Takes a tool of a script away again; whether it was there."""
    _functions.pop(id, None)
    _egress.pop(id, None)
    return native.core().unregister_tool(id)


def call_all(calls: list[dict[str, Any]], target: Target) -> list[dict[str, Any]]:
    """The results of the calls, in order: ``{"ok", "result"?, "error"?, "ms"}``. A tool's failure is its result."""
    return [_call(call["tool"], call["arguments"], target) for call in calls]


def _call(tool: str, arguments: dict[str, Any], target: Target) -> dict[str, Any]:
    started = time.perf_counter()
    answer: dict[str, Any]
    try:
        answer = {"ok": True, "result": _run(tool, arguments, target)}
    except Exception as error:
        if not isinstance(getattr(error, "code", None), str):
            _log.exception("The tool %s failed", tool)
        answer = {"ok": False, "error": failure(error)}
    return answer | {"ms": (time.perf_counter() - started) * 1000}


def _run(tool: str, arguments: dict[str, Any], target: Target) -> Any:
    from ..host import looking

    built_in = looking.TOOLS.get(tool)
    if built_in is not None:
        return built_in(arguments, target)
    function = _functions.get(tool)
    if function is None:
        raise AssistantError("unknown_tool", f"The tool {tool!r} was taken away since the run began.")
    global _at_work
    _at_work = tool
    try:
        result = function(dict(arguments))
    finally:
        _at_work = None
    if not isinstance(result, Mapping):
        raise AssistantError("return_invalid", f"The tool {tool!r} did not return a dict.")
    return dict(result)
