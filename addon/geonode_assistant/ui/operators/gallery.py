# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery of presets: open it, carry one out, keep favourites, be surprised."""

from __future__ import annotations

import random
from typing import Any

import bpy

from ...messages import AssistantError
from ...run import choices, session
from .. import examples, gallery, polling, properties
from .result import send
from .start import can_send

PART = "gallery"


class GEONODE_OT_gallery(bpy.types.Operator):
    """Show what can be made without a language model, or hide it again"""

    bl_idname = "geonode.gallery"
    bl_label = "Gallery"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        if not is_loaded(self):
            return {"CANCELLED"}
        session.current.show(PART)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_use_preset(bpy.types.Operator):
    """Make this on the active object. One undo takes it back"""

    bl_idname = "geonode.use_preset"
    bl_label = "Use Preset"
    bl_options = {"INTERNAL"}

    preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not can_send(cls, context):
            return False
        if context.object is None:
            cls.poll_message_set("Select an object first")
        return context.object is not None

    @classmethod
    def description(cls, context: bpy.types.Context, button: Any) -> str:
        preset = gallery.named(button.preset)
        name = context.object.name if context.object is not None else "it"
        return f"{preset.description} The prompt is: {preset.prompt(name)}" if preset is not None else cls.__doc__ or ""

    def execute(self, context: bpy.types.Context) -> set[str]:
        preset = gallery.named(self.preset)
        if preset is None or context.object is None:
            self.report({"WARNING"}, "This preset does not exist")
            return {"CANCELLED"}
        return carry_out(self, preset, context.object.name)


class GEONODE_OT_favourite(bpy.types.Operator):
    """Keep this preset among the first, or no longer"""

    bl_idname = "geonode.favourite"
    bl_label = "Favourite"
    bl_options = {"INTERNAL"}

    preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if choices.stored() is None:
            cls.poll_message_set("Enable the add-on in Preferences > Add-ons first")
        return choices.stored() is not None

    def execute(self, _context: bpy.types.Context) -> set[str]:
        gallery.toggle_favourite(choices.stored(), self.preset)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_surprise(bpy.types.Operator):
    """Carry out any of the presets on the active object. One undo takes it back"""

    bl_idname = "geonode.surprise"
    bl_label = "Surprise Me"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not can_send(cls, context):
            return False
        if not examples.prompts(context):
            cls.poll_message_set("Select a mesh or a curve first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        if not is_loaded(self):
            return {"CANCELLED"}
        active: Any = context.object
        fitting = gallery.offered(active.type, "", ())
        # Not the same again, as far as there is another.
        fresh = [preset for preset in fitting if preset.id not in gallery.recent] or fitting
        return carry_out(self, random.choice(fresh), active.name)


def is_loaded(operator: Any) -> bool:
    """Loads the library; a failure is reported."""
    try:
        gallery.load()
    except Exception as error:
        operator.report({"ERROR"}, AssistantError.of(error).message)
        return False
    return True


def carry_out(operator: Any, preset: gallery.Preset, name: str) -> set[str]:
    """Sends the prompt of a preset; it is a prompt like those that are typed."""
    gallery.use(preset.id)
    properties.edited().prompt = preset.prompt(name)
    return send(operator, properties.edited().prompt)


CLASSES = (GEONODE_OT_gallery, GEONODE_OT_use_preset, GEONODE_OT_favourite, GEONODE_OT_surprise)
