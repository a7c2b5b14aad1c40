# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's online-access preference, and which providers stay on this machine and do not need it."""

from __future__ import annotations

import bpy

from .. import native
from ..messages import AssistantError


def check(provider: str, base_url: str | None) -> None:
    """Raises ``online_access_disabled`` if online access is off in Blender and the provider is on another machine.

    The ``bpy`` module has no such preference; there, naming a provider counts as consent.
    """
    if bpy.app.online_access or not bpy.app.binary_path or native.core().stays_local(provider, base_url):
        return
    raise AssistantError(
        "online_access_disabled",
        f"Online access is off in Blender, and the provider {provider!r} needs it.",
        "Allow it in Preferences > System > Network, use a server on this machine, or the provider 'offline'.",
    )
