# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: the provider that plans, and where its key comes from. Blender never stores a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy

from .. import native
from ..host import current
from ..messages import AssistantError
from ..run import background, choices, connection, copies, offers
from . import agents, audit, keys
from .translation import say, told_of

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    Write = Callable[[bpy.types.UILayout, str, IconItems], None]

# How often the preferences check whether the key store has answered.
KEY_INTERVAL_S = 0.1

# What is shown below a preference while it has this value.
WARNINGS = {"python": ("trusted", "A trusted script can do anything on this computer: read each one")}


# The groups of settings that can be opened, in their order.
SECTIONS = {
    "data": "What Is Sent and Kept",
    "budget": "Budgets",
    "replies": "Answers of Models",
    "attempts": "Attempts",
    "waiting": "Waiting",
    "scripts": "Scripts and Dry Runs",
    "checks": "Checks",
    "limits": "Sizes of Plans",
}
opened: set[str] = set()
"""The groups that are open."""


def _items(offered: tuple[offers.Choice, ...]) -> list[tuple[str, str, str]]:
    """As Blender takes them: it refuses tuples with names."""
    return [(choice.name, choice.title, choice.about) for choice in offered]


def _property(preference: offers.Preference) -> Any:
    """The property of a setting."""
    shown: dict[str, Any] = {"name": preference.title, "description": preference.about, "default": preference.default}
    if preference.range is not None:
        shown["min"], shown["max"] = preference.range
    if preference.type == "number":
        # Not 0.6999999881.
        shown["precision"] = 2
    match preference.type:
        case "bool":
            return bpy.props.BoolProperty(**shown)
        case "word":
            return bpy.props.EnumProperty(items=_items(preference.choices), **shown)
        case "integer":
            return bpy.props.IntProperty(**shown)
        case "number":
            return bpy.props.FloatProperty(**shown)


def _take_key(preferences: GeoNodePreferences, key: str) -> None:
    """Passes an entered key to the core at once, so that Blender has nothing to store."""
    if key := key.strip():
        _ask_store(lambda core, owner: keys.state.store(core, owner, key), key_owner(preferences))


def _forget_outcome(_preferences: GeoNodePreferences, _context: bpy.types.Context) -> None:
    """The last test was of another provider, address or model."""
    connection_state.outcome = None


def _switch_agents(preferences: GeoNodePreferences, _context: bpy.types.Context) -> None:
    agents.follow(preferences.agents)


def _ask_store(ask: Callable[[Any, keys.KeyOwner], None], owner: keys.KeyOwner) -> None:
    try:
        ask(native.core(), owner)
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
    """Stops waiting for the key store: the add-on is being switched off."""
    if bpy.app.timers.is_registered(_follow_store):
        bpy.app.timers.unregister(_follow_store)
    keys.state.forget()


class GeoNodePreferences(bpy.types.AddonPreferences):
    """Shown under Preferences > Add-ons."""

    bl_idname = choices.ADDON

    provider: bpy.props.EnumProperty(
        name="Planned by",
        description="What turns your prompt into a plan",
        items=_items(offers.PROVIDERS),
        default="offline",
        update=_forget_outcome,
    )
    model: bpy.props.StringProperty(
        name="Model", description="Name of the model, as the server knows it", update=_forget_outcome
    )
    base_url: bpy.props.StringProperty(
        name="Address",
        description="Address of the server with its version segment, for example http://127.0.0.1:11434/v1. "
        "If empty, the provider's own address is used",
        update=_forget_outcome,
    )
    key_variable: bpy.props.StringProperty(
        name="Key from Variable",
        description="Name of the environment variable that holds the API key. If empty, the provider's usual variable "
        "is used, and if that is not set, the stored key",
    )
    api_key: bpy.props.StringProperty(
        name="API Key",
        description="Stored at once in the key store of this system, or, if there is none, in a file that only you can "
        "read; never in Blender's preferences or files. It is used for this provider and address only",
        subtype="PASSWORD",
        options={"SKIP_SAVE"},
        get=lambda _self: "",
        set=_take_key,
    )

    allowed_servers: bpy.props.StringProperty(
        name="Only Send To",
        description="Addresses that requests may be sent to, separated by commas. If empty, only the one chosen above",
    )
    result_pictures: bpy.props.BoolProperty(
        name="Pictures of Results",
        description="The 3D View before and after each prompt, on the card and in the history until Blender is closed. "
        "They are not sent and not written to a file",
        default=True,
    )
    copy_before: bpy.props.BoolProperty(
        name="Copy Before Scripts",
        description="Before a script changes this file, it is saved as a copy in a folder of the add-on, and the "
        "result names it. The ten newest are kept; if none can be saved, the script does not run",
        default=False,
    )
    agents: bpy.props.BoolProperty(
        name="Let Other Programs Use the Assistant",
        description="Programs on this computer, such as coding agents, can read the scene and propose changes through "
        "the Model Context Protocol. Each needs the token of this session, and every change waits for your approval",
        default=False,
        update=_switch_agents,
    )
    favourites: bpy.props.StringProperty(name="Favourites", description="Presets that come first", options={"HIDDEN"})
    # The settings of a run among the preferences are added below.

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "provider")
        if self.provider != "offline":
            layout.prop(self, "model")
            layout.prop(self, "base_url")
            layout.prop(self, "key_variable")
            draw_key(layout, self)
            if not bpy.app.online_access:
                layout.label(
                    text="Online access is off: only servers on this machine can be used. "
                    "Allow it in Preferences > System",
                    icon="INTERNET_OFFLINE",
                )
        row = layout.row()
        if self.provider != "offline":
            row.operator("geonode.test_connection")
        row.operator("geonode.find_servers")
        connection_state.draw(layout)
        draw_settings(layout, self, "plans")
        layout.prop(self, "result_pictures")
        for section, title in SECTIONS.items():
            if draw_section(layout, section, title):
                draw_settings(layout, self, section)
                if section == "scripts":
                    layout.prop(self, "copy_before")
                    if copies.place().is_dir():
                        layout.operator(
                            "wm.path_open", text="Open the Folder of Copies", icon="FILE_FOLDER"
                        ).filepath = str(copies.place())
                if section == "data":
                    layout.prop(self, "allowed_servers")
                    draw_audit(layout)
                    layout.operator("geonode.remove_data", icon="TRASH")
        agents.draw_preferences(layout, self)


for _setting in offers.PREFERENCES:
    GeoNodePreferences.__annotations__[_setting.name] = _property(_setting)
    if _setting.optional:
        GeoNodePreferences.__annotations__[choices.SWITCH + _setting.name] = bpy.props.BoolProperty(
            name=_setting.title, description=_setting.about, default=False
        )


def draw_section(layout: bpy.types.UILayout, section: str, title: str) -> bool:
    """Draws the heading of a group of settings, which opens and closes it; returns whether it is open."""
    is_open = section in opened
    icon: IconItems = "DOWNARROW_HLT" if is_open else "RIGHTARROW"
    row = layout.row()
    row.alignment = "LEFT"
    row.operator("geonode.open_settings", text=title, icon=icon, emboss=False).section = section
    return is_open


def draw_settings(layout: bpy.types.UILayout, preferences: GeoNodePreferences, section: str) -> None:
    """The settings of a run that are shown in this section, in their order."""
    for setting in offers.PREFERENCES:
        if setting.section != section:
            continue
        if setting.optional:
            row = layout.row(heading=setting.title)
            row.prop(preferences, choices.SWITCH + setting.name, text="")
            field = row.row()
            field.active = getattr(preferences, choices.SWITCH + setting.name)
            field.prop(preferences, setting.name, text="")
        else:
            layout.prop(preferences, setting.name)
        value, warning = WARNINGS.get(setting.name, (None, ""))
        if value is not None and getattr(preferences, setting.name) == value:
            layout.label(text=warning, icon="ERROR")


def key_owner(preferences: choices.Stored) -> keys.KeyOwner:
    """The provider, address and variable that are set."""
    return keys.KeyOwner(preferences.provider, preferences.base_url or None, preferences.key_variable or None)


def draw_key(layout: bpy.types.UILayout, preferences: GeoNodePreferences, write: Write | None = None) -> None:
    """The field for a key, and where the current key comes from. ``write`` draws a text where there is little room:
    there the field has its name inside.
    """
    say_it = write or (lambda place, text, icon: place.label(text=text, icon=icon))
    owner, state = key_owner(preferences), keys.state
    if owner.provider in offers.SERVERS and owner.base_url is None:
        return
    _ask_store(state.find, owner)
    if owner.variable is None and write is not None:
        layout.prop(preferences, "api_key", text="", placeholder="API Key")
    elif owner.variable is None:
        layout.prop(preferences, "api_key")
    row = layout.row(align=True)
    place = row.column(align=True)
    if state.busy:
        say_it(place, "Waiting for the key store…", "SORTTIME")
    elif state.error is not None:
        say_it(place, state.error.message, "ERROR")
    else:
        say_it(place, keys.describe(state.place), keys.icon(state.place))
    if state.stored and not state.busy:
        row.operator("geonode.remove_key", text="", icon="X")
    if state.note:
        say_it(layout, state.note, "INFO")


def draw_audit(layout: bpy.types.UILayout) -> None:
    """The audit log: the button that verifies it, and the result of the last verification."""
    found = audit.found
    row = layout.row()
    row.operator("geonode.verify_audit_log")
    if found is None:
        return
    broken = found["broken_at"] is not None
    if broken:
        row.operator("geonode.new_audit_log")
    layout.label(text=audit.describe(found), icon="ERROR" if broken else "CHECKMARK")


class ConnectionState:
    """Results of connection tests and server searches in this process; none of it is stored."""

    # How many models of a server are offered as buttons.
    SHOWN_MODELS = 8

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Clears all results."""
        self.check: background.Check | None = None
        self.outcome: connection.Outcome | None = None
        self.servers: list[connection.LocalServer] = []

    @property
    def busy(self) -> bool:
        """Whether a test or a search is under way."""
        return self.check is not None and not self.check.finished

    def begin(self, check: background.Check) -> None:
        """Notes that a test or a search has begun."""
        self.check = check

    def close(self) -> None:
        """Cancels a test or search that is under way: the add-on is being switched off."""
        if self.check is not None:
            self.check.cancel()
        self.forget()

    def draw(self, layout: bpy.types.UILayout) -> None:
        """Progress, the last outcome, and the servers that were found."""
        column = layout.column(align=True)
        if self.busy:
            column.label(text="Waiting for an answer… (Esc cancels)", icon="SORTTIME")
        elif self.outcome is not None:
            icon: IconItems = "CHECKMARK" if self.outcome.ok else "ERROR"
            for part in told_of(self.outcome.code or "", self.outcome.text, self.outcome.hint or ""):
                column.label(text=part, icon=icon, translate=False)
                icon = "BLANK1"
        for server in self.servers:
            column.label(text=say("{server} at {address}", server=server.name, address=server.base_url), icon="URL")
            flow = column.grid_flow(columns=2, align=True)
            for model in server.models[: self.SHOWN_MODELS]:
                button = flow.operator("geonode.use_server", text=say("Use {model}", model=model), translate=False)
                button.base_url, button.model = server.base_url, model


connection_state = ConnectionState()


def remove_key() -> None:
    """Starts removing the stored key of the provider and address that are set."""
    stored = choices.stored()
    if stored is not None:
        _ask_store(keys.state.remove, key_owner(stored))


CLASSES = (GeoNodePreferences,)
