# SPDX-License-Identifier: GPL-3.0-or-later
"""The open tree: explained in plain words, found node by node, changed with words."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import editors
from geonode_assistant.host.explain import Words, explain
from geonode_assistant.run import session
from geonode_assistant.ui import properties, translation
from geonode_assistant.ui.operators import tree as operators
from geonode_assistant.ui.panels import sidebar
from geonode_assistant.ui.panels import tree as panel
from layouts import draw_sidebar


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    session.current.reset("")
    geonode_assistant.register()
    e2e.build_start({"objects": [{"name": "Plane", "primitive": "plane", "size": 10}], "active": "Plane"}, None)
    yield
    operators.shown.forget()
    geonode_assistant.unregister()
    session.current.reset("")


def make(prompt: str = "scatter 20 cubes on the plane") -> Any:
    properties.edited().prompt = prompt
    assert bpy.ops.geonode.send() == {"FINISHED"}
    while session.current.running:
        session.current.poll()
    assert session.current.summary == "DONE", session.current.messages
    return session.current.results[0].node_group


def blank(name: str = "Blank") -> Any:
    """A tree whose input goes straight to its output."""
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(start.outputs[0], end.inputs[0])
    return tree


def test_a_tree_is_told_in_the_order_in_which_geometry_flows() -> None:
    tree = make()
    before = api.export_tree(tree)
    first, *rest = explain(tree)
    assert "In: Geometry, " in first.text and "Out: Geometry." in first.text
    assert all(name in first.text for name in ("Count", "Seed"))
    told = [part.text for part in rest]
    places = [
        next(i for i, text in enumerate(told) if text.startswith(name))
        for name in ("Distribute Points on Faces: ", "Instance on Points: ", "Join Geometry: ")
    ]
    assert places == sorted(places)
    assert any("Seed by “Seed”" in text for text in told)
    assert all(part.node in tree.nodes for part in rest)
    assert api.export_tree(tree) == before


def test_nothing_to_tell_is_said() -> None:
    tree = blank()
    assert [part.text for part in explain(tree)][1:] == ["What comes in goes out as it is."]
    tree.links.clear()
    assert [part.text for part in explain(tree)][1:] == ["Nothing is linked to its output."]
    tree.nodes.clear()
    assert "nothing comes out" in explain(tree)[1].text


def test_a_value_is_said_to_come_from_what_it_depends_on() -> None:
    tree = blank()
    tree.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketFloat")
    start, end = tree.nodes["Group Input"], tree.nodes["Group Output"]
    made = [tree.nodes.new(f"GeometryNode{kind}") for kind in ("DistributePointsOnFaces", "InstanceOnPoints")]
    points, copies = made
    for pair in (
        (start.outputs["Geometry"], points.inputs["Mesh"]),
        (start.outputs["Count"], points.inputs["Density"]),
        (points.outputs["Points"], copies.inputs["Points"]),
        (points.outputs["Rotation"], copies.inputs["Rotation"]),
        (start.outputs["Count"], copies.inputs["Scale"]),
        (copies.outputs[0], end.inputs[0]),
    ):
        tree.links.new(*pair)
    said = {part.node: part.text for part in explain(tree)}
    assert "Density by “Count”" in said[points.name]
    assert "Scale by “Count”" in said[copies.name]
    assert "Rotation" not in said[copies.name], "the count turns nothing"


def test_it_is_told_what_drives_a_tree_and_where_its_values_come_from() -> None:
    tree = make("displace the plane with noise")
    told = {part.node: part.text for part in explain(tree)}
    assert told[""].startswith(f"{len(tree.nodes)} nodes. "), "the two ends count too"
    [moved] = [text for node, text in told.items() if node and tree.nodes[node].bl_idname == "GeometryNodeSetPosition"]
    driving = moved.partition("Offset from ")[2]
    assert "Noise Texture" in driving
    assert all(f"“{name}”" in driving for name in ("Strength", "Roughness", "Detail", "Scale", "Seed")), moved


def test_nodes_without_effect_and_those_switched_off_are_told() -> None:
    tree = blank()
    move, idle = tree.nodes.new("GeometryNodeSetPosition"), tree.nodes.new("ShaderNodeMath")
    start = next(n for n in tree.nodes if n.bl_idname == "NodeGroupInput")
    end = next(n for n in tree.nodes if n.bl_idname == "NodeGroupOutput")
    tree.links.new(start.outputs[0], move.inputs[0])
    tree.links.new(move.outputs[0], end.inputs[0])
    move.mute, move.label = True, "Lift"
    told = [part.text for part in explain(tree)]
    assert any(text.startswith("Lift: ") and text.endswith("[switched off]") for text in told)
    assert "1 node without effect on the result: “Math”." in told
    tree.nodes.remove(idle)
    assert not any("without effect" in part.text for part in explain(tree))


def test_a_tree_is_told_in_the_language_of_the_interface() -> None:
    known = {text: told for part in translation.entries_of("de").values() for text, told in part.items()}
    known |= {"Instance on Points": "Instanz auf Punkten", "Group Input": "Gruppeneingabe"}

    def say(text: str, /, **places: object) -> str:
        return known.get(text, text).format(**places) if places else known.get(text, text)

    tree = make()
    sentence = next(node for node in tree.nodes if node.bl_idname == "GeometryNodeInstanceOnPoints")
    for socket in sentence.inputs:
        if socket.type != "GEOMETRY":
            for link in socket.links:
                tree.links.remove(link)
    sentence.mute = True
    parts = explain(tree, Words(say, say, lambda text: f"Sagt Blender: {text}" if text else ""))
    said = {part.node: part.text for part in parts}
    assert "Hinein: Geometry, " in said[""] and "Anzahl" in said[""] and "Count" not in said[""]
    assert said[sentence.name].startswith("Instanz auf Punkten: Sagt Blender: ")
    assert said[sentence.name].endswith("[ausgeschaltet]")
    assert any("durch „" in text or "durch “" in text for text in said.values())


def test_a_cycle_and_a_zone_end() -> None:
    tree = blank()
    start, end = tree.nodes.new("GeometryNodeRepeatInput"), tree.nodes.new("GeometryNodeRepeatOutput")
    start.pair_with_output(end)
    one, two = tree.nodes.new("GeometryNodeSetPosition"), tree.nodes.new("GeometryNodeSetPosition")
    inner = next(s for s in end.inputs if s.type == "GEOMETRY")
    tree.links.new(one.outputs[0], two.inputs[0])
    tree.links.new(two.outputs[0], one.inputs[0])
    tree.links.new(one.outputs[0], inner)
    out = next(n for n in tree.nodes if n.bl_idname == "NodeGroupOutput")
    tree.links.new(next(s for s in end.outputs if s.type == "GEOMETRY"), out.inputs[0])
    told = [part.text for part in explain(tree)]
    assert any(text.startswith("Repeat Output") for text in told) and len(told) < 9


def drawn(**editor: Any) -> str:
    """What the panel shows in an editor with these properties."""
    space = SimpleNamespace(type="NODE_EDITOR", **editor) if editor else None
    return " ".join(draw_sidebar(panel.GEONODE_PT_tree_nodes, width=2000, space=space))


def test_an_explanation_goes_when_its_tree_is_edited_or_another_is_open() -> None:
    tree = make()
    assert "Distribute Points" not in drawn(edit_tree=tree)
    assert bpy.ops.geonode.explain_tree() == {"FINISHED"}
    assert "Distribute Points" in drawn(edit_tree=tree) and "geonode.show_node" in drawn(edit_tree=tree)
    assert "Distribute Points" not in drawn(edit_tree=blank())
    tree.nodes.new("ShaderNodeMath")
    assert "Distribute Points" not in drawn(edit_tree=tree)
    bpy.ops.geonode.explain_tree()
    assert "Distribute Points" in drawn(edit_tree=tree)
    assert bpy.ops.geonode.explain_tree() == {"FINISHED"}
    assert "Distribute Points" not in drawn(edit_tree=tree), "the same button hides it"


def test_the_modifier_of_an_open_tree_is_found_also_when_it_is_pinned() -> None:
    tree = make()
    plane = bpy.data.objects["Plane"]
    bpy.ops.object.light_add()
    for about in (plane, None, bpy.context.object):
        modifier = editors.carrier(SimpleNamespace(node_tree=tree, id=about))
        assert modifier == plane.modifiers[0]
    assert editors.carrier(SimpleNamespace(node_tree=blank(), id=plane)) is None
    assert editors.carrier(None) is None


def test_a_node_is_selected() -> None:
    tree = make()
    space = SimpleNamespace(edit_tree=tree)
    name = next(node.name for node in tree.nodes if node.bl_idname == "GeometryNodeJoinGeometry")
    assert editors.show_node(space, name) and [n.name for n in tree.nodes if n.select] == [name]
    assert tree.nodes.active.name == name
    assert not editors.show_node(space, "gone")


def test_the_tab_hides_where_there_are_no_geometry_nodes() -> None:
    for kind in ("ShaderNodeTree", "CompositorNodeTree", "GeometryNodeTree"):
        context = SimpleNamespace(space_data=SimpleNamespace(tree_type=kind))
        assert sidebar.GEONODE_PT_nodes.poll(context) == (kind == "GeometryNodeTree")
