# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's presets: applied with values from a dialog, renamed, deleted, exported and imported as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...host import current
from ...run import preset_files, presets
from .. import gallery, polling
from ..bases import OperatorPart
from ..translation import say, told_error
from .gallery import apply
from .start import can_send

WIDTH_PX = 380
# What the core takes as a title, in bytes; other letters than a to z have several.
LONGEST_TITLE = 56
_NOT_IN_TITLES = '{}"\\“”'
# Kinds of parameters by the property that holds their value in the dialog.
HELD = {
    "count": "whole",
    "seed": "whole",
    "length": "number",
    "angle": "number",
    "turns": "number",
    "factor": "number",
    "bool": "on",
    "choice": "choice",
    "object": "block",
    "collection": "block",
}


class GeoNodeChoice(bpy.types.PropertyGroup):
    """The name of one value of a choice."""


class GeoNodeValue(bpy.types.PropertyGroup):
    """A parameter of a preset in the dialog that applies it."""

    parameter: bpy.props.StringProperty()
    title: bpy.props.StringProperty()
    kind: bpy.props.StringProperty()
    unit: bpy.props.StringProperty()
    is_given: bpy.props.BoolProperty(
        name="Set", description="Use this value; otherwise the one that the preset has, or that follows from the object"
    )
    whole: bpy.props.IntProperty()
    number: bpy.props.FloatProperty(precision=3)
    on: bpy.props.BoolProperty()
    choice: bpy.props.StringProperty()
    choices: bpy.props.CollectionProperty(type=GeoNodeChoice)
    block: bpy.props.StringProperty()


# Functions of their own: in Blender 4.2 methods of such a class crash the end of the process.
def _take(value: GeoNodeValue, parameter: dict[str, Any]) -> None:
    """Shows a parameter with its default."""
    value.parameter, value.title, value.kind = parameter["name"], parameter["title"], parameter["kind"]
    value.unit = parameter["unit"]
    for option in parameter["options"]:
        value.choices.add().name = option
    default, held = parameter["default"], HELD[value.kind]
    if default is not None and held != "block":
        setattr(value, held, int(default) if held == "whole" else default)


def _chosen(value: GeoNodeValue) -> Any:
    """What is chosen."""
    return getattr(value, HELD[value.kind])


class GEONODE_OT_apply_preset(bpy.types.Operator):
    """Apply this preset to an object, with other values. One undo takes it back"""

    bl_idname = "geonode.apply_preset"
    bl_label = "Apply with Values…"
    bl_options = {"INTERNAL"}

    preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    object: bpy.props.StringProperty(name="Object", options={"SKIP_SAVE"})
    values: bpy.props.CollectionProperty(type=GeoNodeValue, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        preset = gallery.named(self.preset)
        if preset is None:
            self.report({"WARNING"}, "This preset does not exist any more")
            return {"CANCELLED"}
        self.object = context.object.name if context.object is not None else ""
        self.values.clear()
        for parameter in preset.parameters:
            if parameter["kind"] in HELD:
                _take(self.values.add(), parameter)
        manager = current.window_manager()
        return {*manager.invoke_props_dialog(self, width=WIDTH_PX, title=preset.shown, confirm_text="Apply")}

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layer: Any = context.view_layer
        layout.prop_search(self, "object", layer, "objects")
        column = layout.column(align=True)
        for value in self.values:
            _draw_value(column, value, context)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        preset = gallery.named(self.preset)
        if preset is None or not self.object:
            self.report({"WARNING"}, "Choose an object first" if preset else "This preset does not exist any more")
            return {"CANCELLED"}
        gallery.use(preset.id)
        given = {one.parameter: _chosen(one) for one in self.values if one.is_given or HELD[one.kind] == "block"}
        return apply(self, preset, self.object, {name: value for name, value in given.items() if value != ""})


def _draw_value(column: Any, value: GeoNodeValue, context: bpy.types.Context) -> None:
    row = column.row(align=True)
    held = HELD[value.kind]
    name = f"{value.title} ({value.unit})" if value.unit else value.title
    if held == "block":
        where, what = (context.view_layer, "objects") if value.kind == "object" else (current.file(), "collections")
        row.prop_search(value, "block", where, what, text=name, translate=False)
        return
    row.prop(value, "is_given", text="")
    field = row.row(align=True)
    field.active = value.is_given
    if held == "choice":
        field.prop_search(value, "choice", value, "choices", text=name, translate=False)
    else:
        field.prop(value, held, text=name, translate=False)


class _OfOwn(OperatorPart):
    preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def said(self, work: Any, done: str) -> set[str]:
        """Does the work, says what came of it, and brings the gallery up to date."""
        try:
            work()
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        finally:
            gallery.load()
            polling.redraw()
        self.report({"INFO"}, done)
        return {"FINISHED"}


class GEONODE_OT_preset_menu(_OfOwn, bpy.types.Operator):
    """What can be done with this preset of yours"""

    bl_idname = "geonode.preset_menu"
    bl_label = "Preset"
    bl_options = {"INTERNAL"}

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        chosen = self.preset

        def draw(menu: Any, _context: Any) -> None:
            layout = menu.layout
            layout.operator_context = "INVOKE_DEFAULT"
            layout.operator("geonode.apply_preset", icon="PLAY").preset = chosen
            layout.operator("geonode.rename_preset", icon="GREASEPENCIL").preset = chosen
            layout.operator("geonode.export_preset", icon="EXPORT").preset = chosen
            layout.separator()
            layout.operator("geonode.delete_preset", icon="TRASH").preset = chosen

        preset = gallery.named(chosen)
        current.window_manager().popup_menu(draw, title=preset.title if preset is not None else "")
        return {"FINISHED"}


class GEONODE_OT_rename_preset(_OfOwn, bpy.types.Operator):
    """Give this preset another name, by which it is found from now on"""

    bl_idname = "geonode.rename_preset"
    bl_label = "Rename…"
    bl_options = {"INTERNAL"}

    title: bpy.props.StringProperty(name="Name", options={"SKIP_SAVE"})

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        preset = gallery.named(self.preset)
        self.title = preset.title if preset is not None else ""
        return {*current.window_manager().invoke_props_dialog(self, width=WIDTH_PX, confirm_text="Rename")}

    def draw(self, _context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layout.activate_init = True
        layout.prop(self, "title", text="")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        title = " ".join(self.title.split())
        refused = name_refused(title, self.preset)
        if refused:
            self.report({"ERROR"}, refused)
            return {"CANCELLED"}
        return self.said(
            lambda: presets.rename(self.preset, title), say("The preset is now called “{title}”", title=title)
        )


class GEONODE_OT_delete_preset(_OfOwn, bpy.types.Operator):
    """Delete this preset of yours. What was made with it stays; this cannot be undone"""

    bl_idname = "geonode.delete_preset"
    bl_label = "Delete…"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return {*current.window_manager().invoke_confirm(self, event)}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        preset = gallery.named(self.preset)
        title = preset.title if preset is not None else self.preset
        return self.said(lambda: presets.delete(self.preset), say("Deleted the preset “{title}”", title=title))


class GEONODE_OT_export_preset(_OfOwn, bpy.types.Operator):
    """Write this preset to a file that others can import"""

    bl_idname = "geonode.export_preset"
    bl_label = "Export…"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default=f"*{preset_files.ENDING}", options={"HIDDEN"})

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        self.filepath = f"{self.preset}{preset_files.ENDING}"
        current.window_manager().fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path = Path(self.filepath)
        if path.suffix != preset_files.ENDING:
            path = path.with_name(path.name + preset_files.ENDING)
        # The file browser has asked already where a file is there.
        return self.said(
            lambda: presets.export_file(self.preset, path, overwrite=True), say("Written to {path}", path=path)
        )


class GEONODE_OT_import_preset(_OfOwn, bpy.types.Operator):
    """Add the preset of a file to yours. It is checked first, and nothing in it is executed"""

    bl_idname = "geonode.import_preset"
    bl_label = "Import Preset…"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=f"*{preset_files.ENDING}", options={"HIDDEN"})
    overwrite: bpy.props.BoolProperty(
        name="Replace", description="Replace a preset of yours that has the same name", options={"SKIP_SAVE"}
    )

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if self.filepath:  # dropped into the window
            return self.execute(_context)
        current.window_manager().fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path = Path(self.filepath)
        return self.said(
            lambda: presets.import_file(path, self.overwrite),
            say("Added the preset of {file}; it is in the Gallery", file=path.name),
        )


class GEONODE_FH_preset(bpy.types.FileHandler):
    bl_idname = "GEONODE_FH_preset"
    bl_label = "GeoNode Preset"
    bl_import_operator = "geonode.import_preset"
    bl_file_extensions = preset_files.ENDING

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type in polling.AREAS


def name_refused(title: str, preset_id: str = "") -> str:
    """Why a preset of yours cannot have this name; empty if it can. ``preset_id`` is its own, if it has one."""
    if not title:
        return say("Give it a name first")
    if len(title.encode()) > LONGEST_TITLE or not title.isprintable() or set(title) & set(_NOT_IN_TITLES):
        return say("Leave out quotes and braces, and use at most {most} letters", most=LONGEST_TITLE)
    other = next((p for p in gallery.loaded if p.title.casefold() == title.casefold() and p.id != preset_id), None)
    if other is None:
        return ""
    if other.own:
        return say("Another preset of yours is called “{title}” already; choose another name", title=other.title)
    return say("A preset that comes with the add-on is called “{title}”; choose another name", title=other.title)


CLASSES = (
    GeoNodeChoice,
    GeoNodeValue,
    GEONODE_OT_apply_preset,
    GEONODE_OT_preset_menu,
    GEONODE_OT_rename_preset,
    GEONODE_OT_delete_preset,
    GEONODE_OT_export_preset,
    GEONODE_OT_import_preset,
    GEONODE_FH_preset,
)
