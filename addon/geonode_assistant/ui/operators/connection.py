# SPDX-License-Identifier: GPL-3.0-or-later
"""Test the connection, find servers on this machine, use one of them; store and verify keys and the audit log.

Blender stays usable while an operator waits.
"""

from __future__ import annotations

from typing import Any, Literal

import bpy

from ... import native
from ...host import current, operators
from ...run import background, choices, connection, session
from .. import audit, polling, preferences
from ..bases import OperatorPart
from ..translation import say, told_error

INTERVAL_S = 0.1
# The part of the sidebar with the questions that set up a planner.
SETUP = "setup"
_NOT_ENABLED = "The add-on is not enabled in Preferences > Add-ons, so it has no preferences"

Kind = Literal["INFO", "WARNING", "ERROR"]


class _Waiting(OperatorPart):
    """An operator that waits for a ``background.Check`` with a timer of its window; Esc ends it.

    The derived operator implements ``begin`` and ``end``.
    """

    _check: background.Check
    _timer: bpy.types.Timer | None = None
    _stopped = False

    def begin(self) -> background.Check:
        """Starts the work to wait for."""
        raise NotImplementedError

    def end(self, result: Any) -> tuple[Kind, str]:
        """Takes the result; returns what is reported."""
        raise NotImplementedError

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if preferences.connection_state.busy:
            cls.poll_message_set("Another check is still under way; Esc ends it")
        return not preferences.connection_state.busy

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        try:
            self._check = self.begin()
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        preferences.connection_state.begin(self._check)
        manager = current.window_manager()
        self._timer = manager.event_timer_add(INTERVAL_S, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self._stopped = self._stopped or event.type == "ESC"
        if not self._check.finished:
            if self._stopped:
                self._check.stop()
            return {"RUNNING_MODAL" if event.type == "TIMER" else "PASS_THROUGH"}
        return self._leave(context)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Blocks until the result is there; for scripts."""
        kind: Kind
        try:
            kind, text = self.end(self.begin().result())
        except Exception as error:
            kind, text = "ERROR", told_error(error)
        self.report({kind}, text)
        return {"FINISHED" if kind == "INFO" else "CANCELLED"}

    def _leave(self, context: bpy.types.Context) -> set[str]:
        current.window_manager().event_timer_remove(self._timer)
        preferences.connection_state.check = None
        kind: Kind
        try:
            kind, text = self.end(self._check.result())
        except Exception as error:
            kind, text = "ERROR", told_error(error)
        self.report({kind}, text)
        for area in context.screen.areas if context.screen else ():
            area.tag_redraw()
        return {"FINISHED"}


class GEONODE_OT_test_connection(_Waiting, bpy.types.Operator):
    """Ask the chosen model one short question and say whether it answers"""

    bl_idname = "geonode.test_connection"
    bl_label = "Test Connection"
    bl_options = {"REGISTER", "INTERNAL"}

    def begin(self) -> background.Check:
        return connection.begin()

    def end(self, result: connection.Outcome) -> tuple[Kind, str]:
        preferences.connection_state.outcome = result
        return ("INFO" if result.ok else "ERROR"), result.text


class GEONODE_OT_find_servers(_Waiting, bpy.types.Operator):
    """Look for servers of language models on this machine: Ollama, LM Studio, llama.cpp, vLLM"""

    bl_idname = "geonode.find_servers"
    bl_label = "Find Local Servers"
    bl_options = {"REGISTER", "INTERNAL"}

    def begin(self) -> background.Check:
        return connection.find_local(native.core())

    def end(self, result: list[connection.LocalServer]) -> tuple[Kind, str]:
        preferences.connection_state.servers = result
        if not result:
            names = ", ".join(native.core().local_ports())
            return (
                "WARNING",
                say(
                    "No server answers on this machine ({names} on their usual ports). Start one, then try again",
                    names=names,
                ),
            )
        return "INFO", say("Found {names}", names=", ".join(server.name for server in result))


class GEONODE_OT_use_server(bpy.types.Operator):
    """Use this server and model"""

    bl_idname = "geonode.use_server"
    bl_label = "Use Server"
    bl_options = {"REGISTER", "INTERNAL"}

    base_url: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    model: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        stored = choices.stored()
        if stored is None:
            self.report({"ERROR"}, _NOT_ENABLED)
            return {"CANCELLED"}
        stored.provider, stored.base_url, stored.model = "openai-compatible", self.base_url, self.model
        stored.key_variable = ""
        return {"FINISHED"}


class GEONODE_OT_use_model(bpy.types.Operator):
    """Use this model of the server"""

    bl_idname = "geonode.use_model"
    bl_label = "Use Model"
    bl_options = {"REGISTER", "INTERNAL"}

    model: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        stored = choices.stored()
        if stored is None:
            self.report({"ERROR"}, _NOT_ENABLED)
            return {"CANCELLED"}
        stored.model = self.model
        return {"FINISHED"}


class GEONODE_OT_set_up(bpy.types.Operator):
    """Show who plans, with its address, its key and its model"""

    bl_idname = "geonode.set_up"
    bl_label = "Set Up"
    bl_options = {"INTERNAL"}

    test: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.shown.add(SETUP)
        polling.redraw()
        if self.test and not bpy.app.background:
            return {*operators.named("geonode.test_connection")("INVOKE_DEFAULT")}
        return {"FINISHED"}


class GEONODE_OT_open_preferences(bpy.types.Operator):
    """Open the preferences where this can be changed"""

    bl_idname = "geonode.open_preferences"
    bl_label = "Open Preferences"
    bl_options = {"INTERNAL"}

    tab: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    settings: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        if self.settings:
            preferences.opened.add(self.settings)
        if bpy.app.background:
            return {"FINISHED"}
        if self.tab:
            return {*operators.named("screen.userpref_show")(section=self.tab)}
        return {*operators.named("preferences.addon_show")(module=choices.ADDON)}


class GEONODE_OT_open_settings(bpy.types.Operator):
    """Show these settings, or hide them again"""

    bl_idname = "geonode.open_settings"
    bl_label = "Show Settings"
    bl_options = {"INTERNAL"}

    section: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        preferences.opened ^= {self.section}
        if context.area is not None:
            context.area.tag_redraw()
        return {"FINISHED"}


class GEONODE_OT_verify_audit_log(_Waiting, bpy.types.Operator):
    """Read the whole log of what left this computer and who allowed what, and say whether anything in it was changed"""

    bl_idname = "geonode.verify_audit_log"
    bl_label = "Check the Log of What Was Sent"
    bl_options = {"REGISTER", "INTERNAL"}

    def begin(self) -> background.Check:
        return audit.verify(native.core())

    def end(self, result: dict | None) -> tuple[Kind, str]:
        audit.found = result
        intact = result is not None and result["broken_at"] is None
        return ("INFO" if intact else "WARNING"), audit.describe(result)


class GEONODE_OT_new_audit_log(_Waiting, bpy.types.Operator):
    """Rename the damaged audit log and start a new one"""

    bl_idname = "geonode.new_audit_log"
    bl_label = "Start a New Audit Log"
    bl_options = {"REGISTER", "INTERNAL"}

    def begin(self) -> background.Check:
        return audit.renew(native.core())

    def end(self, result: object) -> tuple[Kind, str]:
        audit.found = None
        return "INFO", say("The old audit log is now {path}", path=result) if result else "There was no audit log yet"


class GEONODE_OT_remove_key(bpy.types.Operator):
    """Remove the stored key of this provider and address"""

    bl_idname = "geonode.remove_key"
    bl_label = "Remove Key"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return {*current.window_manager().invoke_confirm(self, event)}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        preferences.remove_key()
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_test_connection,
    GEONODE_OT_find_servers,
    GEONODE_OT_use_server,
    GEONODE_OT_use_model,
    GEONODE_OT_set_up,
    GEONODE_OT_open_preferences,
    GEONODE_OT_open_settings,
    GEONODE_OT_remove_key,
    GEONODE_OT_verify_audit_log,
    GEONODE_OT_new_audit_log,
)
