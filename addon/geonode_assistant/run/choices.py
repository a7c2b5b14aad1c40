# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on's preferences say about a run: provider, key and settings."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple, Protocol

from ..host import current
from ..messages import AssistantError
from . import offers

# The name under which Blender has registered the add-on: that of the top package.
ADDON = __package__.rpartition(".")[0]

# How variables that hold keys are called; keys themselves are not.
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
# How the keys of vendors begin, and that they are long and have digits.
_VENDORS = r"AIza|(?:sk|[spr]k_live|sk_test|gh[opsu]|github_pat|glpat|hf|gsk|xai|nvapi|pplx)[-_]"
_KEY = re.compile(rf"(?:{_VENDORS})(?=\D*\d)[\w-]{{20,}}")
# Begins the name of the preference that switches one on which is off by default.
SWITCH = "use_"


class Stored(Protocol):
    """The preferences that a run needs."""

    provider: str
    model: str
    base_url: str
    key_variable: str
    allowed_servers: str
    result_pictures: bool
    copy_before: bool


class Choice(NamedTuple):
    """The provider of a run, with its model, address and key."""

    provider: str
    model: str | None
    base_url: str | None
    api_key: str | None


def stored() -> Stored | None:
    """The add-on's preferences; None if the package is imported without being installed as an add-on."""
    addon: Any = current.preferences().addons.get(ADDON)
    return addon.preferences if addon is not None else None


def settings() -> dict[str, Any]:
    """The settings of a run that the preferences hold, by their names in ``geonode_core.settings()``. Numbers that
    are as they come are left out: some of them follow others.
    """
    kept = stored()
    if kept is None:
        return {}
    found = {}
    for setting in offers.PREFERENCES:
        value = getattr(kept, setting.name)
        is_said = getattr(kept, SWITCH + setting.name) if setting.optional else value != setting.default
        if is_said or setting.type in ("bool", "word"):
            found[setting.name] = value
    return found


def allowed_servers() -> list[str] | None:
    """Addresses that requests may be sent to; None: only that of the chosen provider."""
    kept = stored()
    servers = [server.strip() for server in kept.allowed_servers.split(",")] if kept is not None else []
    return [server for server in servers if server] or None


def choice(provider: str | None, model: str | None, base_url: str | None, key_variable: str | None = None) -> Choice:
    """The caller's choice, completed from the preferences if the provider is omitted or the same as there.

    Raises AssistantError ``auth_missing`` when the named key variable is empty, or when a key stands in another field.
    """
    kept = stored()
    provider = provider or (kept.provider if kept else "offline")
    variable = key_variable
    if kept is not None and kept.provider == provider:
        model, base_url = model or kept.model or None, base_url or kept.base_url or None
        variable = key_variable or kept.key_variable
    for value, what in ((model, "model"), (base_url, "address")):
        if value and is_key(value):
            # Neither sent to anybody nor repeated.
            raise AssistantError(
                "auth_missing", f"What stands as the {what} looks like a key.", "Enter it as the key, and not there."
            )
    return Choice(provider, model, base_url, _key(provider, variable))


def is_key(text: str) -> bool:
    """Whether a text of another field looks like a key that was put into the wrong place."""
    return _KEY.fullmatch(text.strip()) is not None


def _key(provider: str, variable: str | None) -> str | None:
    if provider == "offline" or not variable:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        # What looks like no name may be a key that was put into the wrong place: it is not repeated.
        named = f"The environment variable {variable}" if _NAME.fullmatch(variable) else "This environment variable"
        raise AssistantError(
            "auth_missing",
            f"{named} is not set.",
            "Set it before Blender starts, name another one, or clear the field to use the stored key.",
        )
    return key
