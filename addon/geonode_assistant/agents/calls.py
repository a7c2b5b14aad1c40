# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls of other programs do: reading at once, changing as a run that the artist approves in the panel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .. import native
from ..host import catalogue, model_tools
from ..host import context as host_context
from ..messages import AssistantError
from ..run import checking, history, preset_files, presets, starting
from ..run.driver import RunHandle
from ..run.report import RunReport

Arguments = Mapping[str, Any]


def _check_plan(arguments: Arguments) -> dict[str, Any]:
    verdict = checking.check(json.dumps(arguments["plan"]))
    return {"ok": verdict["ok"], "messages": verdict["messages"]}


def _list_presets(_arguments: Arguments) -> dict[str, Any]:
    kept = ("id", "title", "description", "targets", "parameters", "own")
    return {"presets": [{key: one[key] for key in kept} for one in presets.list()]}


def _history(arguments: Arguments) -> dict[str, Any]:
    kept = ("id", "at", "prompt", "object", "status", "message", "changes")
    return {"runs": [{key: run[key] for key in kept} for run in history.list(arguments.get("search", ""))[:50]]}  # type: ignore[literal-required]


def _of_models(tool: str) -> Callable[[Arguments], Mapping[str, Any]]:
    def call(arguments: Arguments) -> Mapping[str, Any]:
        return model_tools.TOOLS[tool](arguments, model_tools.active_target())

    return call


READING: dict[str, Callable[[Arguments], Mapping[str, Any]]] = {
    **{tool: _of_models(tool) for tool in model_tools.TOOLS},
    "check_plan": _check_plan,
    "explain_tree": model_tools.explain_tree,
    "list_presets": _list_presets,
    "history": _history,
}
"""Tools that change nothing, by their IDs."""


def begin(tool: str, arguments: Arguments, client: str, is_allowed: bool) -> RunHandle:
    """Starts the run of a tool that changes the file; the panel asks before anything is written, unless the artist
    allows this client to make changes. What always asks, such as scripts, asks all the same.
    """
    target = arguments.get("object")
    if tool == "apply_preset":
        preset = arguments["preset"]
        known = next((one for one in presets.list() if one["id"] == preset), None)
        if known is None:
            raise AssistantError("unknown_preset", f"There is no preset “{preset}”.", native.fix("unknown_preset"))
        wanted = {"id": preset, "values": dict(arguments.get("values", {})), "presets": preset_files.read()}
        plan = native.core().preset_plan(wanted, host_context.capture_context(target))
        title = f"{client}: {known['title']}"
    elif tool == "apply_plan":
        plan, title = dict(arguments["plan"]), f"{client}: a plan"
    else:
        raise AssistantError("unknown_tool", f"There is no tool “{tool}”.")
    # Every plan is shown first, whatever it says about itself.
    settings = {} if is_allowed else {"preview": True}
    request = starting.request_of(title, target, "offline", approve="ask", settings=settings)
    request["plan"] = json.dumps(plan)
    return starting.launch(request, "ask", title)


def outcome(report: RunReport) -> dict[str, Any]:
    """The answer to a call whose run has ended."""
    if report.ok:
        result = {"status": report.status, "message": report.final_message, "changes": list(report.diff or ())}
        return {"ok": True, "result": result}
    error = next((m for m in report.messages if m["code"] == "user_rejected"), report.error)
    code = error["code"] if error else "cancelled"
    text = error["text"] if error else report.final_message or "The run was cancelled in Blender."
    return {"ok": False, "error": {"code": code, "message": text}}


def instructions() -> str:
    """What the server tells clients about itself."""
    return (
        "Geometry Nodes in the Blender that runs on this machine. Look (scene_summary, tree_ir), search (search_nodes, "
        "search_presets), read how plans are written (how_to_plan), check a plan (check_plan), then apply it. What "
        "changes the file waits until the artist approves it in Blender's sidebar (N, GeoNode); a rejection is final. "
        "One change at a time, one undo step each."
    )


def catalogue_path() -> str:
    """The nodes of this Blender."""
    return catalogue.path()
