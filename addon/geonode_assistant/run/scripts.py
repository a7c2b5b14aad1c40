# SPDX-License-Identifier: GPL-3.0-or-later
"""One script as a plan with one step: tried, asked about, carried out and kept as any other plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .. import native, scripting
from ..messages import AssistantError
from ..scripting import ScriptResult
from . import choices, driver, script_steps, starting
from .driver import Approve
from .report import RunReport

STEP = "script"


def run(source: str, timeout_ms: int, approve: Approve, settings: Mapping[str, Any] | None = None) -> ScriptResult:
    """Applies the plan whose only step is this script in safe mode; raises if nothing came of it.

    The result has the script's names if the script itself ran, not the record of its trial.
    """
    chosen = {**choices.settings(), **(settings or {})}
    if chosen.get("python") == "off":
        # That is about the scripts of plans that others make.
        chosen["python"] = "safe"
    chosen["max_python_ms"] = max(timeout_ms, chosen.get("max_python_ms", timeout_ms))
    payload = {"code": source, "timeout_ms": timeout_ms}
    step = {"id": STEP, "type": script_steps.TYPE, "description": "Run the script", "payload": payload}
    plan = {"version": "1.1", "steps": [step], "done": True, "final_message": ""}
    request = starting.request_of("", None, "offline", approve=approve, settings=chosen)
    results: list[ScriptResult] = []
    handle = starting.launch(request | {"plan": json.dumps(plan)}, approve, results=results)
    report = driver.drive(handle)
    if report.ok and results:
        return results[-1]
    raise _error(report)


def run_unasked(source: str, timeout_ms: int) -> ScriptResult:
    """Runs a script in safe mode that nobody is asked about, so that it may only remove what it has made itself.

    Raises ``approval_required`` if it would remove anything else where its text says so, else ``script_failed``.
    """
    core = native.core()
    try:
        return scripting.run(source, "safe", timeout_ms, unasked=True)
    except core.CoreError as error:
        if error.code != "script_failed" or error.details.get("exception") != "Unasked":
            raise
        asks = {one.line for one in scripting.check_script(source).asks if one.code != scripting.REMOVES_NODES}
        if not asks:
            raise  # its text does not say so, and nobody could have been asked
        lines = ", ".join(map(str, sorted(asks)))
        raise AssistantError(
            "approval_required",
            f"The script removes data (line {lines}), and nobody is there to approve that. {error.message}",
            "Pass approve: a function that is shown the request, or 'all'.",
        ) from error


def _error(report: RunReport) -> Exception:
    """Why the run was not kept, as the exception that the script alone would have raised."""
    worst: Mapping[str, Any] = next(iter(report.messages[-1:]), {})
    if report.status != "cancelled":
        worst = report.error or worst
    code, text = worst.get("code", "internal_error"), worst.get("text", "The script did not run.")
    core = native.core()
    if code in ("script_timeout", "script_memory"):
        return core.ScriptTimeout(code, text, False, {})
    if code in ("script_breach", "script_mismatch", "script_unbounded"):
        return core.PolicyError(code, text, False, {})
    if code == "script_failed":
        return core.CoreError(code, text, False, {})
    # Whoever calls this writes scripts, so the words for planners fit.
    planner: Mapping[str, Any] = worst.get("planner") or {}
    return AssistantError(code, planner.get("text") or text, planner.get("hint") or worst.get("hint"))
