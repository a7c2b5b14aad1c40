# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep a result, or the tree that is open, as a preset: its name, and which of its inputs can be set with it."""

from __future__ import annotations

import textwrap
from typing import Any

import bpy

from ...host import current, editors, modifiers
from ...run import presets, session
from .. import gallery, pictures, polling
from ..translation import say, told_error
from .ownership import active_tree
from .presets import name_refused

WIDTH_PX = 380
# Letters of a line of the dialog.
LINE = 50


class Kept:
    """The tree that was kept last in this process, and what came of it."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing was kept."""
        self._tree: int | None = None
        self._preset = ""
        self.losses: list[str] = []

    def take(self, tree: Any, kept: dict[str, Any]) -> None:
        """Notes what a tree was kept as."""
        self._tree, self._preset, self.losses = tree.session_uid, kept["id"], kept["losses"]

    def title(self, tree: Any) -> str:
        """What this tree was kept as, while that preset is there; else empty."""
        if self._tree is None or tree is None or tree.session_uid != self._tree:
            return ""
        preset = gallery.named(self._preset)
        return preset.title if preset is not None else ""


kept = Kept()
"""What the card and the sidebar of the Node Editor show."""


class GeoNodeInput(bpy.types.PropertyGroup):
    """An input of a tree in the dialog that keeps it."""

    identifier: bpy.props.StringProperty()
    title: bpy.props.StringProperty()
    wanted: bpy.props.BoolProperty(
        name="Can Be Set", description="Becomes a parameter; otherwise it keeps its value and is hidden", default=True
    )


class GEONODE_OT_keep_preset(bpy.types.Operator):
    """Keep this tree with its values as a preset, for other objects and other files. It appears in the Gallery"""

    bl_idname = "geonode.keep_preset"
    bl_label = "Keep as Preset…"
    bl_options = {"INTERNAL"}

    of_result: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})
    title: bpy.props.StringProperty(
        name="Name", description="By its name it is found in the Gallery and in prompts", options={"SKIP_SAVE"}
    )
    about: bpy.props.StringProperty(name="What It Does", description="In one sentence", options={"SKIP_SAVE"})
    inputs: bpy.props.CollectionProperty(type=GeoNodeInput, options={"SKIP_SAVE"})
    replace: bpy.props.BoolProperty(
        name="Replace the One of This Name", description="The preset of yours that has this name", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif not session.current.standing and active_tree(context) is None:
            cls.poll_message_set("There is no tree to keep")
        else:
            return True
        return False

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        gallery.load()
        tree, _ = source(context, self.of_result)
        if tree is None:
            self.report({"WARNING"}, "There is no tree to keep")
            return {"CANCELLED"}
        self.title = free_title(tree.name)
        self.inputs.clear()
        for item in modifiers.inputs_of(tree):
            shown = self.inputs.add()
            shown.identifier, shown.title, shown.wanted = item.identifier, item.name, not item.hide_in_modifier
        manager = current.window_manager()
        return {*manager.invoke_props_dialog(self, width=WIDTH_PX, title="Keep as Preset", confirm_text="Keep")}

    def draw(self, _context: bpy.types.Context) -> None:
        layout: Any = self.layout
        layout.activate_init = True
        layout.prop(self, "title")
        layout.prop(self, "about", placeholder="In one sentence; it may be left empty")
        if self.inputs:
            column = layout.column(align=True)
            column.label(text="What can be set when it is used:")
            for shown in self.inputs:
                column.prop(shown, "wanted", text=shown.title, translate=False)
        title = " ".join(self.title.split()).casefold()
        if any(preset.own and preset.title.casefold() == title for preset in gallery.loaded):
            layout.prop(self, "replace")
        elif refused := name_refused(" ".join(self.title.split())):
            # A label does not wrap.
            for line in textwrap.wrap(refused, LINE):
                layout.label(text=line, icon="ERROR")

    def execute(self, context: bpy.types.Context) -> set[str]:
        tree, modifier = source(context, self.of_result)
        title = " ".join(self.title.split())
        gallery.load()
        gallery.finish()
        refused = "" if self.replace and title else name_refused(title)
        if tree is None or refused:
            self.report({"ERROR"}, refused or "There is no tree to keep any more")
            return {"CANCELLED"}
        wanted = [shown.identifier for shown in self.inputs if shown.wanted] if self.inputs else None
        try:
            found = presets.save(
                title, modifier or tree, description=self.about, parameters=wanted, overwrite=self.replace
            )
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        kept.take(tree, found)
        if modifier is not None:
            _photograph(found["id"], modifier.id_data)
        gallery.load()
        polling.redraw()
        self.report({"INFO"}, say("Kept as “{title}”: it is in the Gallery of the sidebar", title=title))
        return {"FINISHED"}


def _photograph(preset_id: str, obj: Any) -> None:
    """Gives a preset the picture of this object in the 3D View; without a window it has none."""
    shot = pictures.of_object(obj)
    if shot is not None:
        pictures.forget_file(presets.keep_picture(preset_id, shot))


def free_title(name: str) -> str:
    """A title for a tree of this name that no preset has."""
    taken = {preset.title.casefold() for preset in gallery.loaded}
    wanted = [name, f"My {name}", *(f"My {name} {number}" for number in range(2, len(taken) + 3))]
    return next((title for title in wanted if title.casefold() not in taken), name)


def source(context: bpy.types.Context, of_result: bool) -> tuple[Any, Any]:
    """The tree to keep, and the modifier whose values it takes: those of the last result, else of the open tree."""
    if of_result:
        modifier = next(iter(session.current.standing), None)
        return getattr(modifier, "node_group", None), modifier
    tree = active_tree(context)
    if tree is None:
        return None, None
    active = context.object.modifiers.active if context.object is not None else None
    carriers: list[Any] = [active, editors.carrier(context.space_data)]
    return tree, next((one for one in carriers if getattr(one, "node_group", None) == tree), None)


CLASSES = (GeoNodeInput, GEONODE_OT_keep_preset)
