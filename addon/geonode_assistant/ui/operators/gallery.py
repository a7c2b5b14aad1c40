# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery of presets: open it, carry one out, keep favourites, be surprised."""

from __future__ import annotations

import random
from typing import Any

import bpy

from ...host import operators
from ...messages import AssistantError
from ...run import choices, presets, session
from .. import examples, gallery, polling, properties
from ..translation import say, told_error
from .result import send, take_words
from .start import can_send


class GEONODE_OT_gallery(bpy.types.Operator):
    """Show what can be made without a language model and what you have kept, or hide it again"""

    bl_idname = "geonode.gallery"
    bl_label = "Gallery"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        gallery.load()
        polling.open_list(polling.GALLERY)
        return {"FINISHED"}


class GEONODE_OT_use_preset(bpy.types.Operator):
    """Make this on the active object, or as a new one. One undo takes it back"""

    bl_idname = "geonode.use_preset"
    bl_label = "Use Preset"
    bl_options = {"INTERNAL"}

    preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)

    @classmethod
    def description(cls, context: bpy.types.Context, button: Any) -> str:
        preset = gallery.named(button.preset)
        if preset is None:
            return cls.__doc__ or ""
        prompt = gallery.prompt(preset, _active(context))
        if prompt is None:
            return say("{does} In words, for example: {example}", does=preset.description, example=preset.example)
        return say("{does} The prompt is: {prompt}", does=preset.description, prompt=prompt)

    def execute(self, context: bpy.types.Context) -> set[str]:
        preset = gallery.named(self.preset)
        if preset is None:
            self.report({"WARNING"}, "This preset does not exist any more")
            return {"CANCELLED"}
        if context.object is None and not preset.makes:
            self.report({"WARNING"}, "Select an object first")
            return {"CANCELLED"}
        if preset.asks and not bpy.app.background:
            return {*operators.named("geonode.apply_preset")("INVOKE_DEFAULT", preset=preset.id)}
        return carry_out(self, preset, _active(context))


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
    """Carry out any of the presets that fit the active object. One undo takes it back"""

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
        gallery.load()
        gallery.finish()
        obj: Any = context.object
        # What has no mesh of its own shows what a modifier makes: not every preset works on that.
        empty = obj is None or obj.type == "MESH" and not obj.data.polygons
        kind = "" if empty else obj.type
        known = [preset for preset in gallery.offered(kind, "", ()) if not preset.own and not preset.asks]
        # Not the same again, as far as there is another.
        fresh = [preset for preset in known if preset.id not in gallery.recent] or known
        if not fresh:
            failed = gallery.failure()
            self.report({"ERROR"}, failed.message if failed is not None else "There is no preset for this object")
            return {"CANCELLED"}
        return carry_out(self, random.choice(fresh), _active(context))


def _active(context: bpy.types.Context) -> str:
    """The name of the active object, or what stands for one."""
    return context.object.name if context.object is not None else "it"


def carry_out(operator: Any, preset: gallery.Preset, name: str) -> set[str]:
    """Carries out a preset on the object of this name: by its prompt, which is one like those that are typed, or, where
    words alone cannot call for it, with its own values.
    """
    gallery.use(preset.id)
    prompt = gallery.prompt(preset, name)
    if prompt is None:
        return apply(operator, preset, name, {})
    properties.edited().prompt = prompt
    return send(operator, prompt)


def apply(operator: Any, preset: gallery.Preset, name: str, values: dict[str, Any]) -> set[str]:
    """Starts the run that applies a preset with these values to the object of this name."""
    take_words("", session.current.prompt)
    try:
        presets.start(preset.id, name, values, approve="ask")
    except Exception as error:
        known = AssistantError.of(error)
        session.current.refuse(known, preset.title)
        operator.report({"ERROR"}, told_error(known))
        return {"CANCELLED"}
    polling.start()
    return {"FINISHED"}


CLASSES = (GEONODE_OT_gallery, GEONODE_OT_use_preset, GEONODE_OT_favourite, GEONODE_OT_surprise)
