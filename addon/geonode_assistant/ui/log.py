# SPDX-License-Identifier: GPL-3.0-or-later
"""What happened in a run, in technical words, as lines of text: for the panel, which shows the latest of each, and
whole for the clipboard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..messages import one_line
from ..run import session
from .translation import say

# Characters of one line in the panel.
SHOWN_LINE = 80


def whole(view: session.Session) -> list[str]:
    """Every line of the log."""
    lines = [f"Prompt: {view.prompt}", usage_line(view)]
    lines += [f"{call.get('status', '')}: {call_line(call)}" for call in view.tools]
    for step in view.steps:
        lines += [f"{step['status']}: {step_line(step)}", step.get("message") or ""]
    for message in view.messages:
        lines += [f"{message.get('code', '')}: {message.get('text', '')}", message.get("hint") or ""]
    if view.report is not None:
        lines += [view.report.final_message, *view.report.diff]
    return [line for line in lines if line]


def usage_line(view: session.Session) -> str:
    """The expected tokens while a model works, then those that its provider counted; empty if no model was asked."""
    if view.running:
        if view.estimate is None:
            return ""
        return say(
            "The request has about {usage}",
            usage=format_usage(view.estimate["input_tokens"], view.estimate.get("cost_usd")),
        )
    usage = view.report.usage if view.report is not None else None
    if not usage:
        return ""
    return format_usage((usage.get("input_tokens") or 0) + (usage.get("output_tokens") or 0), usage.get("cost_usd"))


def format_usage(tokens: int, cost: float | None) -> str:
    """Tokens and, if known, their cost in US dollars: ``5,200 tokens ($0.0130)``."""
    return f"{tokens:,} tokens" + (f" (${cost:.4f})" if cost is not None else "")


def call_line(call: dict) -> str:
    """A tool call in one line: name, simple arguments, and progress in percent."""
    arguments = ", ".join(
        str(value) for value in (call.get("input") or {}).values() if isinstance(value, str | int | float)
    )
    percent = f" {call['percent']} %" if call.get("status") == "running" and "percent" in call else ""
    return one_line(f"{call['tool'].replace('_', ' ')}{f': {arguments}' if arguments else ''}{percent}", SHOWN_LINE)


def step_line(step: Mapping[str, Any]) -> str:
    """A step in one line: its ID and, until it is carried out, its description in the plan."""
    planned = step.get("message") if step.get("status") == "planned" else ""
    return one_line(f"{step['step_id']}: {planned}" if planned else step["step_id"], SHOWN_LINE)
