# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's switch for online access, and what stays on this machine whatever it says."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import bpy

from ..messages import AssistantError

# Providers that never open a connection.
LOCAL_PROVIDERS = frozenset({"offline", "replay"})


def check(provider: str, base_url: str | None) -> None:
    """Obeys Blender's online-access switch: ``online_access_disabled`` unless the provider stays on this machine.

    The ``bpy`` module has no such switch (and no preferences); there, naming a provider is the consent.
    """
    if provider in LOCAL_PROVIDERS or bpy.app.online_access or not bpy.app.binary_path or is_loopback(base_url):
        return
    raise AssistantError(
        "online_access_disabled",
        f"Online access is off in Blender, and the provider {provider!r} needs it.",
        "Allow it in Preferences > System > Network, use a server on this machine, or the provider 'offline'.",
    )


def is_loopback(url: str | None) -> bool:
    """Whether the URL names this machine by an address that never leaves it."""
    try:
        host = urlsplit(url or "").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
