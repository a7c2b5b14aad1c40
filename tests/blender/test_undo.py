# SPDX-License-Identifier: GPL-3.0-or-later
"""The artist's undo after a run that was taken back: no crash, and the file as it was a step before."""

from __future__ import annotations

import bpy
import geonode_assistant
import pytest
from geonode_assistant import session
from geonode_assistant.host import transaction, undo


@pytest.fixture(autouse=True)
def scene() -> None:
    session.current.close()
    session.current._reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True)


def test_undo_after_a_restore_reads_the_whole_file() -> None:
    registered = hasattr(bpy.types.WindowManager, "geonode_assistant")
    if not registered:
        geonode_assistant.register()
    try:
        cube, tree = bpy.data.objects["Cube"], bpy.data.node_groups.new("Tree", "GeometryNodeTree")
        cube.modifiers.new("Nodes", "NODES").node_group = tree
        bpy.context.scene.cursor.location = (1, 2, 3)
        # Two steps in which the object is the same: Blender would keep it in memory.
        bpy.ops.ed.undo_push(message="one")
        bpy.data.objects["Light"].location.x = 7
        bpy.ops.ed.undo_push(message="two")
        opened = transaction.Transaction(["Cube"], ["Tree"])
        bpy.data.node_groups["Tree"].nodes.new("ShaderNodeMath")
        assert opened.restore()
        preferences = bpy.context.preferences
        chosen = (preferences.view.show_developer_ui, preferences.experimental.use_undo_legacy, preferences.is_dirty)
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
        assert bpy.data.objects["Cube"].modifiers["Nodes"].node_group == bpy.data.node_groups["Tree"]
        assert bpy.data.objects["Light"].location.x != 7
        assert tuple(bpy.context.scene.cursor.location) == (1, 2, 3)
        assert bpy.context.scene.cursor.rotation_mode == "XYZ"
        assert not undo._unknown and undo._kept is None
        assert chosen == (
            preferences.view.show_developer_ui,
            preferences.experimental.use_undo_legacy,
            preferences.is_dirty,
        )
    finally:
        if not registered:
            geonode_assistant.unregister()
