# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the scene the next prompt would send to a model, for the artist to read before it is sent."""

from __future__ import annotations

import json

from .. import native
from ..host import catalogue
from ..host import context as host_context
from . import choices

# What is always sent beside the scene.
BESIDE = (
    "Your prompt, and earlier prompts and answers of this conversation.",
    "Instructions for the model, the same for everybody.",
    "What the model asks for while it plans: parts of the scene, descriptions of nodes.",
)


def lines() -> list[str]:
    """The description of the scene, one line for each part: as long as the preferences allow it to be."""
    default = next(setting["default"] for setting in native.core().settings() if setting["name"] == "context_tokens")
    budget = int(choices.settings().get("context_tokens", default))
    shown = native.core().shown_context(host_context.capture_context(None), {}, catalogue.path(), budget, [])
    found = []
    for name, value in shown.items():
        # A page of a tree keeps its lines.
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if name != "hash" and value not in (None, [], {}):
            found.append(f"{name.replace('_', ' ')}: {text}")
    return found
