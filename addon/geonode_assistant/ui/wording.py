# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has to say to an artist: its closing message as single lines, and its messages in words for people.

Findings about a plan are written for whoever wrote the plan. An artist is told what they mean for the scene instead;
the findings themselves are in the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

from ..messages import select_for_artist
from ..native import section_of

OFFLINE = "offline"
# Sections of the registry of codes that are about a plan, with what an error there means for the artist.
OF_PLANS = {
    "protocol": "The answer is not a plan that can be carried out, so nothing was changed.",
    "preflight": "The plan does not fit this scene or this Blender, so nothing was changed.",
    "gates": "The result did not pass its checks, so everything was put back.",
    "gate causes": "The result did not pass its checks, so everything was put back.",
    "script": "The script of the plan was refused or failed, so nothing was changed.",
}
# What a failed check means for the scene.
GATES = {
    "BLOWUP_RISK": "The result would have become too large for Blender, so nothing was changed.",
    "EXPECTED_EFFECTS": "The result was not what was asked for, so everything was put back.",
    "FINITE_BOUNDS": "The result reached into infinity, so everything was put back.",
    "NOT_EMPTY": "The result was empty, so everything was put back.",
    "NO_MODIFIER_ERROR": "Blender reported an error in the result, so everything was put back.",
    "NO_NODE_WARNINGS": "Blender reported a warning in the result, so everything was put back.",
    "OUTPUT_CONNECTED": "The result was empty, so everything was put back.",
    "USER_NODES_UNTOUCHED": "Nodes of yours would have been changed without a word, so everything was put back.",
}
# Findings about the scene rather than the plan: their own words are for the artist.
OF_SCENE = frozenset(
    {
        "BLOWUP_RISK",
        "library_data",
        "name_taken",
        "object_type_unsupported",
        "script_destructive",
        "script_memory",
        "script_removes_nodes",
        "script_timeout",
        "shared_node_group",
        "stale_base",
        "unknown_object",
    }
)
# Codes of other sections that only say how a plan is to be written.
FORM = frozenset({"empty_plan", "extension_invalid", "gate_failed", "python_out_of_turn", "record_invalid"})
# Remarks about what stands as it is from run to run: once is enough.
STANDING = frozenset({"conversation_cut", "conversation_unknown", "prompt_cut", "unknown_model"})
_FORGETS = "This conversation is long: the model was shown a part of it. Start a new one if it forgets what you said."
# The model may try again, and mostly does better.
_AGAIN = "Try again, or say it in other words."


_NUMBER = re.compile(r"“[^”]*”|(?<![\w.])\d+\.\d{5,}(?![\w.])")
# What ends in a full stop and no sentence.
_SHORT = ("e.g.", "i.e.")


class Line(NamedTuple):
    """One thing to tell the artist."""

    severity: str
    text: str
    hint: str = ""
    code: str = ""
    """Of the message, where these are its own words."""


@lru_cache(maxsize=32)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message for the artist, one by one. A quoted name is not divided."""
    found, start, quoted = [], 0, 0
    for at, character in enumerate(text):
        quoted = max(0, quoted + (character == "“") - (character == "”"))
        ends = character in ".!?" and not quoted and text[at + 1 : at + 2].isspace()
        ends = ends and not text.endswith(_SHORT, start, at + 1)
        if character == "\n" or (ends and not text[at + 1 :].lstrip()[:1].islower()):
            found.append(text[start : at + 1])
            start = at + 1
    found.append(text[start:])
    return tuple(sentence for piece in found if (sentence := piece.strip()))


@lru_cache(maxsize=512)
def rounded(text: str) -> str:
    """A text with four digits behind the point of its numbers at most, as sliders show them; quoted names stay."""
    return _NUMBER.sub(lambda found: found[0] if found[0][0] == "“" else _round(float(found[0])), text)


def _round(number: float) -> str:
    # A tiny one would become nothing.
    return f"{number:.4f}".rstrip("0").rstrip(".") if number >= 0.001 else f"{number:.4g}"


def lines(
    messages: Iterable[Mapping[str, Any]], provider: str = "", shown: str = "", told: Set[str] = frozenset()
) -> list[Line]:
    """Messages in words for the artist, each text once, without the text that is ``shown`` already and without
    standing remarks that were ``told`` before.

    What the offline planner says is for the artist as it is.
    """
    found: list[Line] = []
    for message in select_for_artist(messages, shown):
        stands = message.get("code") in STANDING and message.get("severity") != "error"
        line = None if stands and message.get("text") in told else _line(message, provider)
        if line is not None and all(line.text != other.text for other in found):
            found.append(line)
    failed = [line for line in found if line.severity == "error"]
    # Several mistakes of one plan are one piece of news.
    return [failed[0], *(line for line in found if line.severity != "error")] if failed else found


def _line(message: Mapping[str, Any], provider: str) -> Line | None:
    code, severity = message.get("code", ""), message.get("severity", "")
    text, hint = message.get("text", ""), message.get("hint") or ""
    if code == "conversation_cut":
        return Line(severity, _FORGETS) if provider != OFFLINE else None
    if code == "nothing_to_change" and provider == OFFLINE and severity != "error":
        # A change of the last result sets inputs; that its page says the rest again is no news.
        return None
    section = section_of(code) or ""
    # A preset that does not fit this Blender is no better told in the words of plans than a model's mistake.
    refused = section not in ("gates", "gate causes") and message.get("origin") != "preflight"
    if provider == OFFLINE and severity == "error" and refused:
        return Line(severity, text, hint, code)
    if code in GATES and severity == "error":
        return Line(severity, GATES[code], _AGAIN if provider != OFFLINE else "")
    if code in OF_SCENE:
        return Line(severity, text, hint, code)
    if section not in OF_PLANS and code not in FORM:
        return Line(severity, text, hint, code)
    if severity != "error":
        return None
    meaning = OF_PLANS.get(section) or OF_PLANS["protocol"]
    return Line(severity, meaning, _AGAIN)
