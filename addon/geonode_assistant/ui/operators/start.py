# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways in: a prompt from a menu or the search (F3), an example to click."""

from __future__ import annotations

from typing import Any

import bpy

from ... import native
from ...host import current, editors
from ...run import session
from .. import examples, polling, properties, warming
from ..translation import say, told_error
from .result import send

WIDTH_PX = 420
WAIT = "The assistant reads which nodes this Blender has, once after it was installed. It takes a few seconds"


class GEONODE_OT_ask(bpy.types.Operator):
    """Say in words what Geometry Nodes should make; the sidebar (N) then shows what comes of it"""

    bl_idname = "geonode.ask"
    bl_label = "Make with Words…"
    bl_options = {"REGISTER"}

    prompt: bpy.props.StringProperty(
        name="Prompt", description="What you want, for example: scatter 200 rocks on the plane", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return {*current.window_manager().invoke_props_dialog(self, width=WIDTH_PX, confirm_text="Make")}

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layout.activate_init = True
        layout.prop(self, "prompt", text="", placeholder=examples.first(context))

    def execute(self, context: bpy.types.Context) -> set[str]:
        if not self.prompt.strip():
            self.report({"WARNING"}, "Type a prompt first")
            return {"CANCELLED"}
        properties.edited().prompt = self.prompt
        editors.show_sidebar(context.area)
        return send(self, self.prompt)


class GEONODE_OT_use_example(bpy.types.Operator):
    """Put this example into the prompt; Send carries it out"""

    bl_idname = "geonode.use_example"
    bl_label = "Use Example"
    bl_options = {"INTERNAL"}

    prompt: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        properties.edited().prompt = self.prompt
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_send_prompt(bpy.types.Operator):
    """Send this prompt"""

    bl_idname = "geonode.send_prompt"
    bl_label = "Send Prompt"
    bl_options = {"INTERNAL"}

    prompt: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)

    @classmethod
    def description(cls, _context: bpy.types.Context, button: Any) -> str:
        return say("Sends “{prompt}”", prompt=button.prompt)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        properties.edited().prompt = self.prompt
        return send(self, self.prompt)


def can_send(operator: Any, context: bpy.types.Context) -> bool:
    """Whether a run can start now; if not, the operator's button says why."""
    if session.current.running:
        operator.poll_message_set("A run is under way; wait until it ends, or cancel it")
    elif warming.is_writing():
        operator.poll_message_set(WAIT)
    elif context.mode != "OBJECT":
        operator.poll_message_set("Switch to Object Mode first")
    elif (problem := native.problem()) is not None:
        operator.poll_message_set(told_error(problem))
    else:
        return True
    return False


def draw_menu(self: Any, _context: bpy.types.Context) -> None:
    """The entry in the menus Add and Add Modifier."""
    self.layout.separator()
    self.layout.operator("geonode.ask", icon="GEOMETRY_NODES")


MENUS = ("VIEW3D_MT_add", "OBJECT_MT_modifier_add")
CLASSES = (GEONODE_OT_ask, GEONODE_OT_use_example, GEONODE_OT_send_prompt)
