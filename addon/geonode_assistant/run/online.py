# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's online-access preference, and which providers stay on this machine and do not need it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import bpy

from ..messages import AssistantError

# Providers that never open a connection.
LOCAL_PROVIDERS = frozenset({"offline", "replay"})


def check(provider: str, base_url: str | None) -> None:
    """Raises ``online_access_disabled`` if online access is off in Blender and the provider is on another machine.

    The ``bpy`` module has no such preference; there, naming a provider counts as consent.
    """
    if provider in LOCAL_PROVIDERS or bpy.app.online_access or not bpy.app.binary_path or is_loopback(base_url):
        return
    raise AssistantError(
        "online_access_disabled",
        f"Online access is off in Blender, and the provider {provider!r} needs it.",
        "Allow it in Preferences > System > Network, use a server on this machine, or the provider 'offline'.",
    )


def is_loopback(url: str | None) -> bool:
    """Whether the URL is a loopback address of this machine."""
    try:
        host = urlsplit(url or "").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
