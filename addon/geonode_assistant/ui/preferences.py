# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: who plans, and where the key is found. Blender itself never stores a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .. import native
from ..host import current
from ..messages import AssistantError
from ..run import choices, connection
from . import audit, keys

PROVIDERS = (
    ("offline", "Offline planner", "Plans from the preset library: no key, no network"),
    ("openai-compatible", "OpenAI-compatible", "Any server with Chat Completions: local ones and hosted ones"),
    ("openai", "OpenAI", "OpenAI's own models; the key is found in OPENAI_API_KEY"),
    ("anthropic", "Anthropic", "Anthropic's models; the key is found in ANTHROPIC_API_KEY"),
    ("gemini", "Gemini", "Google's models; the key is found in GEMINI_API_KEY or GOOGLE_API_KEY"),
)

# How often the preferences look whether the key store has answered.
KEY_INTERVAL_S = 0.1

SCRIPTS = (
    ("off", "Off", "Plans with Python scripts are refused"),
    (
        "safe",
        "Safe Mode",
        "Scripts may build and edit, but reach no files, no network and no preferences. You see each one first",
    ),
    (
        "trusted",
        "Safe and Trusted",
        "A plan may also ask for a script without any limits. It can do whatever you can do on this computer, "
        "and runs only after you have read and approved it, each time",
    ),
)


def _take_key(preferences: GeoNodePreferences, key: str) -> None:
    """Hands an entered key over at once; Blender is left with nothing to store."""
    if key := key.strip():
        _ask_store(lambda core, about: keys.state.keep(core, about, key), whose_key(preferences))


def _ask_store(ask: Callable[[Any, keys.About], None], about: keys.About) -> None:
    try:
        ask(native.core(), about)
    except Exception as error:
        keys.state.error = AssistantError.of(error)
    if keys.state.busy and not bpy.app.timers.is_registered(_follow_store):
        bpy.app.timers.register(_follow_store, first_interval=KEY_INTERVAL_S)


def _follow_store() -> float | None:
    if keys.state.poll():
        for window in current.window_manager().windows:
            for area in window.screen.areas:
                if area.type == "PREFERENCES":
                    area.tag_redraw()
    return KEY_INTERVAL_S if keys.state.busy else None


def forget_key_state() -> None:
    """The add-on goes; what a key store still does is its own."""
    if bpy.app.timers.is_registered(_follow_store):
        bpy.app.timers.unregister(_follow_store)
    keys.state.forget()


class GeoNodePreferences(bpy.types.AddonPreferences):
    """Shown under Preferences > Add-ons."""

    bl_idname = choices.ADDON

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
        description="Name of the environment variable that holds the API key; left empty, the provider's usual one, "
        "then the stored key",
    )
    api_key: bpy.props.StringProperty(
        name="API Key",
        description="Goes to the key store of this system at once, or where there is none to a file that only you can "
        "read; never into Blender's preferences or files. It is kept for this provider and address",
        subtype="PASSWORD",
        options={"SKIP_SAVE"},
        get=lambda _self: "",
        set=_take_key,
    )

    preview: bpy.props.BoolProperty(
        name="Show Every Plan First",
        description="Ask before each plan is applied, not only before those that remove work or cost much",
    )

    stream: bpy.props.BoolProperty(
        name="Stream Replies",
        description="Show text while the model writes. Off: it appears when the model is done",
        default=True,
    )
    python: bpy.props.EnumProperty(
        name="Python Scripts", description="Which scripts of a plan may run", items=SCRIPTS, default="safe"
    )

    allowed_servers: bpy.props.StringProperty(
        name="Allowed Servers",
        description="Addresses that requests may go to, with commas between. Left empty, only the one chosen above",
    )
    keep_conversations: bpy.props.BoolProperty(
        name="Keep Conversations",
        description="Keep wishes and answers on this computer, without keys, so that a wish can follow an earlier one",
        default=True,
    )

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "preview")
        layout.prop(self, "python")
        if self.python == "trusted":
            layout.label(text="A trusted script can do anything on this computer: read each one", icon="ERROR")
        layout.prop(self, "provider")
        if self.provider != "offline":
            layout.prop(self, "model")
            layout.prop(self, "base_url")
            layout.prop(self, "key_variable")
            draw_key(layout, self)
            layout.prop(self, "stream")
            layout.prop(self, "allowed_servers")
            layout.prop(self, "keep_conversations")
            if not bpy.app.online_access:
                layout.label(text="Online access is off: only servers on this machine answer", icon="INTERNET_OFFLINE")
        row = layout.row()
        if self.provider != "offline":
            row.operator("geonode.test_connection")
        row.operator("geonode.find_servers")
        connection_state.draw(layout)
        draw_audit(layout)


def whose_key(preferences: choices.Stored) -> keys.About:
    """The provider, address and variable that are set."""
    return keys.About(preferences.provider, preferences.base_url or None, preferences.key_variable or None)


def draw_key(layout: bpy.types.UILayout, preferences: GeoNodePreferences) -> None:
    """The field for a key, and where the present one comes from."""
    about, state = whose_key(preferences), keys.state
    if about.provider == "openai-compatible" and about.base_url is None:
        return
    _ask_store(state.look, about)
    if about.variable is None:
        layout.prop(preferences, "api_key")
    row = layout.row(align=True)
    if state.busy:
        row.label(text="Asking the key store…", icon="SORTTIME")
    elif state.error is not None:
        row.label(text=state.error.message, icon="ERROR")
    else:
        row.label(text=keys.spoken(state.place), icon="LOCKED" if state.place else "UNLOCKED")
    if state.stored and not state.busy:
        row.operator("geonode.remove_key", text="", icon="X")
    if state.note:
        layout.label(text=state.note, icon="INFO")


def draw_audit(layout: bpy.types.UILayout) -> None:
    """The audit log: whether it is whole, as far as anybody has looked."""
    found = audit.found
    row = layout.row()
    row.operator("geonode.verify_audit_log")
    if found is None:
        return
    broken = found["broken_at"] is not None
    if broken:
        row.operator("geonode.new_audit_log")
    layout.label(text=audit.spoken(found), icon="ERROR" if broken else "CHECKMARK")


class ConnectionState:
    """What is known of the connection in this process; nothing of it is stored."""

    # Models of a server that are offered as buttons.
    SHOWN_MODELS = 8

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """As if nothing had ever been tested."""
        self.check: connection.Check | None = None
        self.outcome: connection.Outcome | None = None
        self.servers: list[connection.LocalServer] = []

    @property
    def busy(self) -> bool:
        """Whether a test or a search is under way."""
        return self.check is not None and not self.check.finished

    def begin(self, check: connection.Check) -> None:
        """A test or a search has begun."""
        self.check = check

    def close(self) -> None:
        """Ends what is under way: the add-on goes."""
        if self.check is not None:
            self.check.cancel()
        self.forget()

    def draw(self, layout: bpy.types.UILayout) -> None:
        """Progress, the last outcome, and the servers that were found."""
        column = layout.column(align=True)
        if self.busy:
            column.label(text="Asking… (Esc cancels)", icon="SORTTIME")
        elif self.outcome is not None:
            column.label(text=self.outcome.text, icon="CHECKMARK" if self.outcome.ok else "ERROR")
            if self.outcome.hint:
                column.label(text=self.outcome.hint, icon="BLANK1")
        for server in self.servers:
            column.label(text=f"{server.name} at {server.base_url}", icon="URL")
            flow = column.grid_flow(columns=2, align=True)
            for model in server.models[: self.SHOWN_MODELS]:
                button = flow.operator("geonode.use_server", text=f"Use {model}", translate=False)
                button.base_url, button.model = server.base_url, model


connection_state = ConnectionState()


def remove_key() -> None:
    """Begins to remove the stored key of the provider and address that are set."""
    kept = choices.stored()
    if kept is not None:
        _ask_store(keys.state.remove, whose_key(kept))


CLASSES = (GeoNodePreferences,)
