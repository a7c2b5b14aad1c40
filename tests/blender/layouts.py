# SPDX-License-Identifier: GPL-3.0-or-later
"""Layouts that record what a panel draws, and check each call against Blender's definition of layouts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
from geonode_assistant.ui import registry
from geonode_assistant.ui.panels import sidebar

FUNCTIONS = bpy.types.UILayout.bl_rna.functions
ATTRIBUTES = bpy.types.UILayout.bl_rna.properties
OPERATORS = {c.bl_idname for m in registry.MODULES for c in m.CLASSES if issubclass(c, bpy.types.Operator)}
BLENDERS = {"ed.undo", "ed.redo"}


class Layout:
    """Accepts exactly the calls that this Blender's layouts accept, and records the visible text."""

    bl_rna = bpy.types.UILayout.bl_rna

    def __init__(self, shown: list[str]) -> None:
        object.__setattr__(self, "shown", shown)

    def __setattr__(self, name: str, value: Any) -> None:
        assert name in ATTRIBUTES, f"a layout has no {name}"

    def __getattr__(self, name: str) -> Any:
        assert name in FUNCTIONS, f"a layout cannot {name}"
        parameters = FUNCTIONS[name].parameters
        taken = [p.identifier for p in parameters if not p.is_output]

        def call(*positional: Any, **named: Any) -> Any:
            assert len(positional) <= len(taken)
            for key, value in named.items():
                assert key in taken, f"{name}() takes no {key}"
                if parameters[key].type == "ENUM":
                    assert value in parameters[key].enum_items, f"{name}({key}={value!r})"
            if name in ("prop", "textbox"):
                owner, attribute = positional
                if attribute.startswith("["):
                    owner.path_resolve(attribute)
                else:
                    assert attribute in owner.bl_rna.properties
            if name == "operator":
                assert positional[0] in OPERATORS | BLENDERS
                self.shown.append(named.get("text") or positional[0])
                return SimpleNamespace()
            self.shown.append(named.get("text", ""))
            return Layout(self.shown)

        return call


def draw_sidebar(panel: type = sidebar.GEONODE_PT_view3d, width: int = 300, space: Any = None) -> list[str]:
    shown: list[str] = []
    context = SimpleNamespace(
        space_data=space,
        object=bpy.context.object,
        mode=bpy.context.mode,
        view_layer=bpy.context.view_layer,
        window_manager=bpy.context.window_manager,
        # In the background Blender's own scale is 0.
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0), ui_styles=bpy.context.preferences.ui_styles),
        region=SimpleNamespace(width=width),
    )
    panel.draw(SimpleNamespace(layout=Layout(shown)), context)
    return [text for text in shown if text]
