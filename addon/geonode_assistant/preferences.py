# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: who plans, and where the key is found. Keys themselves are never stored."""

from __future__ import annotations

import os
from typing import NamedTuple

import bpy

from .messages import AssistantError

PROVIDERS = (
    ("offline", "Offline planner", "Plans from the preset library: no key, no network"),
    ("openai-compatible", "OpenAI-compatible", "Any server with Chat Completions: local ones and hosted ones"),
    ("openai", "OpenAI", "OpenAI's own models; the key is found in OPENAI_API_KEY"),
    ("anthropic", "Anthropic", "Anthropic's models; the key is found in ANTHROPIC_API_KEY"),
    ("gemini", "Gemini", "Google's models; the key is found in GEMINI_API_KEY or GOOGLE_API_KEY"),
)


class Choice(NamedTuple):
    """Who answers a request."""

    provider: str
    model: str | None
    base_url: str | None
    api_key: str | None


class GeoNodePreferences(bpy.types.AddonPreferences):
    """Shown under Preferences > Add-ons."""

    bl_idname = __package__

    provider: bpy.props.EnumProperty(
        name="Provider", description="Who turns the words into a plan", items=PROVIDERS, default="offline"
    )
    model: bpy.props.StringProperty(name="Model", description="Name of the model, as the server knows it")
    base_url: bpy.props.StringProperty(
        name="Base URL",
        description="Address of the server with its version segment, for example http://127.0.0.1:11434/v1. "
        "Left empty, that of the provider",
    )
    key_variable: bpy.props.StringProperty(
        name="Key Variable",
        description="Name of the environment variable that holds the API key; left empty, the provider's usual one. "
        "The key itself is never stored",
    )

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "provider")
        if self.provider == "offline":
            return
        layout.prop(self, "model")
        layout.prop(self, "base_url")
        layout.prop(self, "key_variable")
        if not bpy.app.online_access:
            layout.label(text="Online access is off: only servers on this machine answer", icon="INTERNET_OFFLINE")


def choice(provider: str | None, model: str | None, base_url: str | None, key_variable: str | None = None) -> Choice:
    """What the caller names, completed from the preferences when the provider is left out or the same.

    Raises AssistantError ``auth_missing`` when the named key variable is empty.
    """
    addon = bpy.context.preferences.addons.get(__package__)
    stored = addon.preferences if addon is not None else None
    provider = provider or (stored.provider if stored else "offline")
    if stored is None or stored.provider != provider:
        return Choice(provider, model, base_url, _key(provider, key_variable))
    key = _key(provider, key_variable or stored.key_variable)
    return Choice(provider, model or stored.model or None, base_url or stored.base_url or None, key)


def _key(provider: str, variable: str | None) -> str | None:
    if provider == "offline" or not variable:
        return None
    key = os.environ.get(variable)
    if not key:
        raise AssistantError(
            "auth_missing",
            f"The environment variable {variable} is not set.",
            "Set it before Blender starts, or name another one.",
        )
    return key


CLASSES = (GeoNodePreferences,)
