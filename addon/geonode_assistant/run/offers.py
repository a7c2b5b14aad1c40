# SPDX-License-Identifier: GPL-3.0-or-later
"""What the preferences offer: who can plan, and some settings of a run. Made by
`cargo xtask schemas` from `rust/provider/src/providers.rs` and
`rust/engine/src/settings.rs`: changes belong there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Choice(NamedTuple):
    """One of the values that a preference can have, as Blender lists it."""

    name: str
    title: str
    about: str


class Preference(NamedTuple):
    """A setting of a run that the preferences hold under its name."""

    name: str
    title: str
    about: str
    type: Literal["bool", "integer", "number", "word"]
    default: bool | float | str
    section: Literal["plans", "replies", "data"]
    range: tuple[float, float] | None = None
    choices: tuple[Choice, ...] = ()


PROVIDERS = (
    Choice(
        "offline",
        "Offline planner",
        "Plans from a library of presets, without a key or a network",
    ),
    Choice(
        "openai-compatible",
        "OpenAI-compatible",
        "Any local or hosted server that offers the Chat Completions API",
    ),
    Choice(
        "openai",
        "OpenAI",
        "OpenAI's models; the key comes from OPENAI_API_KEY or the field below",
    ),
    Choice(
        "anthropic",
        "Anthropic",
        "Anthropic's models; the key comes from ANTHROPIC_API_KEY or the field below",
    ),
    Choice(
        "gemini",
        "Gemini",
        "Google's models; the key comes from GEMINI_API_KEY, GOOGLE_API_KEY or the field below",
    ),
)
"""Who can plan, in the order of the list."""

SERVERS = frozenset({"openai-compatible"})
"""Those that ask a server of the artist's choice: its address has to be given, and its models are its own."""

PREFERENCES: tuple[Preference, ...] = (
    Preference(
        name="keep_conversations",
        title="Keep Conversations",
        about="Keep prompts and answers on this computer, without keys, so that prompts can follow each other",
        type="bool",
        default=True,
        section="data",
    ),
    Preference(
        name="stream",
        title="Stream Replies",
        about="Show the reply while the model writes it, not only once it is complete",
        type="bool",
        default=True,
        section="replies",
    ),
    Preference(
        name="preview",
        title="Show Every Plan First",
        about="Ask before every plan is applied, not only before those that remove your work or cost much time",
        type="bool",
        default=False,
        section="plans",
    ),
    Preference(
        name="python",
        title="Python Scripts",
        about="Which Python scripts a plan may run",
        type="word",
        default="safe",
        section="plans",
        choices=(
            Choice(
                "off",
                "Off",
                "Plans that contain Python scripts are refused",
            ),
            Choice(
                "safe",
                "Safe Mode",
                (
                    "Scripts may build and edit, but cannot reach files, the network or preferences. Each one is "
                    "shown to you before it runs"
                ),
            ),
            Choice(
                "trusted",
                "Safe and Trusted",
                (
                    "A plan may also contain scripts without any limits. They can do whatever you can do on this "
                    "computer. Each one runs only after you have read and approved it"
                ),
            ),
        ),
    ),
    Preference(
        name="try_scripts",
        title="Try Scripts",
        about="Which scripts are tried first, in a sandbox on a copy of the file, before they can be approved",
        type="word",
        default="always",
        section="plans",
        choices=(
            Choice(
                "always",
                "Always",
                "Every script is tried before you can approve it",
            ),
            Choice(
                "in_doubt",
                "When in Doubt",
                "Only scripts that remove data, are long, or run without anyone reading them first",
            ),
            Choice(
                "never",
                "Never",
                "Scripts are not tried first; the other protections still apply",
            ),
        ),
    ),
)
"""The settings among the preferences, in their order."""
