# SPDX-License-Identifier: GPL-3.0-or-later
"""What happened in a run, in technical words: entries for the panel, which can be filtered and are shown in the
language of the interface, and lines of text for the clipboard and for files, in English, since others read them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..messages import one_line
from ..run import session
from .translation import entries_of, language, say, told, told_of
from .wording import rounded

# Characters of one line in the panel.
SHOWN_LINE = 80
# The severities, the least first.
SEVERITIES = ("info", "warning", "error")
_FAILED = {"failed": "error", "restored": "warning"}


class Entry(NamedTuple):
    """One thing that happened."""

    part: str
    """``calls``, ``steps``, ``messages`` or ``changes``."""
    severity: str
    state: str
    """What became of a call or a step; empty for the rest."""
    text: str
    more: str = ""
    """What a script printed, or what can be done about a message."""
    origin: str = ""
    """The part of the program that a message comes from."""
    code: str = ""
    """That of a message."""

    @property
    def line(self) -> str:
        """Its text, of a message with the code before it."""
        return f"{self.code}: {self.text}" if self.code else self.text


def entries(view: session.Session) -> Iterator[Entry]:
    """Everything that happened, in the order in which the panel shows it."""
    for call in view.tools:
        state = call.get("status", "")
        yield Entry("calls", _FAILED.get(state, "info"), state, call_line(call))
    for step in view.steps:
        state = step["status"]
        more = step.get("message") or "" if state != "planned" else ""
        yield Entry("steps", _FAILED.get(state, "info"), state, step_line(step), more)
    for message in view.messages:
        severity, text, hint = message.get("severity", "info"), message.get("text", ""), message.get("hint") or ""
        yield Entry("messages", severity, "", text, hint, message.get("origin", ""), message.get("code", ""))
    for line in view.report.diff if view.report is not None else ():
        yield Entry("changes", "info", "", line)


def shown(entry: Entry) -> tuple[str, str]:
    """The line of an entry and what stands below it, in the language of the interface as far as somebody has translated
    them; codes, names and what scripts print are as they are.
    """
    if not entry.code:
        return told(rounded(entry.text)), entry.more
    text, *more = told_of(entry.code, entry.text, entry.more) or ("",)
    return f"{entry.code}: {text}", "\n".join(more)


def chosen(found: Iterable[Entry], part: str, severity: str, search: str) -> list[Entry]:
    """The entries of this part (``all``: of any), at least as severe, in which all words of the search occur, as shown
    or in English.
    """
    words, least = search.casefold().split(), SEVERITIES.index(severity)
    kept = []
    for entry in found:
        level = SEVERITIES.index(entry.severity) if entry.severity in SEVERITIES else 0
        if part in ("all", entry.part) and level >= least and (not words or _has(entry, words)):
            kept.append(entry)
    return kept


def _has(entry: Entry, words: Iterable[str]) -> bool:
    text = " ".join((entry.line, entry.more, entry.state, entry.origin, *shown(entry))).casefold()
    return all(word in text for word in words)


def lines(found: Iterable[Entry]) -> list[str]:
    """Entries as lines of text."""
    texts: list[str] = []
    for entry in found:
        texts += [f"{entry.state}: {entry.text}" if entry.state else entry.line, entry.more]
    return [text for text in texts if text]


def whole(view: session.Session) -> list[str]:
    """Every line of the log."""
    head = [
        f"Prompt: {view.prompt}" if view.is_prompt else f"Plan: {view.prompt}",
        usage_line(view),
        view.final_message,
    ]
    return [*filter(None, head), *lines(entries(view))]


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
    count = f"{tokens:,}"
    if entries_of(language()):
        # A comma means something else in other languages.
        count = count.replace(",", "\N{NO-BREAK SPACE}")
    return say("{count} tokens", count=count) + (f" (${cost:.4f})" if cost is not None else "")


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
