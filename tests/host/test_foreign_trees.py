# SPDX-License-Identifier: GPL-3.0-or-later
"""Random and shipped trees are rebuilt equal in an empty file, compared by RNA alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
import raw
from comparing import differences, rename, strip_suffix
from geonode_assistant.host.build import build_tree
from geonode_assistant.host.export import export_tree
from random_trees import TREE, Maker, make_blocks
from shipped import shipped_trees

FULL = bool(os.environ.get("GEONODE_FULL"))
BATCH = 10
BATCHES = 60 if FULL else 4
VERSION = bpy.app.version


def new_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    make_blocks()


def rebuilt_elsewhere(tree: Any) -> tuple[dict[str, Any], dict[str, Any], str, str]:
    """The RNA state of the tree and of its copy built from JSON in an empty file, and both JSON texts."""
    before = raw.tree_state(tree)
    text = json.dumps(export_tree(tree))
    assert raw.tree_state(tree) == before, "reading writes nothing"
    new_file()
    new = build_tree(json.loads(text))
    return before, raw.tree_state(new), text, json.dumps(export_tree(new))


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_trees_are_rebuilt_equal(batch: int) -> None:
    nodes = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        new_file()
        before, after, text, again = rebuilt_elsewhere(Maker(seed).make())
        nodes += sum(len(tree["nodes"]) for tree in before.values())
        found = list(raw.differences(before, after))
        assert found == [], (seed, found[:5])
        assert text == again, seed
    assert nodes > 100


def test_random_trees_cover_what_this_blender_has() -> None:
    """The random trees contain most types, zones, nested groups, panels, gaps, multi-inputs and muted links."""
    kinds, seen = set[str](), set[str]()
    for seed in range(12):
        new_file()
        for tree in raw.tree_state(Maker(seed).make()).values():
            kinds |= {node[""] for node in tree["nodes"]}
            seen |= {"muted" for link in tree["links"] if link[5]} | {"order" for link in tree["links"] if link[4]}
            seen |= {item["item_type"] for item in tree["interface"]}
            seen |= {"in panel" for item in tree["interface"] if item["path"]}
            seen |= {"zone" for node in tree["nodes"] if node.get("paired_output")}
            seen |= {"in frame" for node in tree["nodes"] if node.get("parent")}
            numbers = [int(i["identifier"].split("_")[1]) for i in tree["interface"] if i["item_type"] == "SOCKET"]
            seen |= {"gap" for _ in range(1) if numbers and max(numbers) >= len(tree["interface"])}
    assert seen == {"muted", "order", "SOCKET", "PANEL", "in panel", "zone", "in frame", "gap"}
    assert len(kinds) > 120, len(kinds)


IN_ANOTHER_PROCESS = """
import json, os, sys
sys.path[:0] = sys.argv[2:4]
import bpy
import raw
from geonode_assistant.host.build import build_tree
from random_trees import make_blocks
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
make_blocks()
state = raw.tree_state(build_tree(json.load(open(sys.argv[1], encoding="utf-8"))))
print("state " + json.dumps(state), flush=True)
os._exit(0)
"""


def test_another_process_builds_the_same(tmp_path: Path) -> None:
    new_file()
    tree = Maker(3, size=60).make()
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(export_tree(tree)), encoding="utf-8")
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "addon")]
    made = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, str(path), *folders],
        capture_output=True,
        timeout=300,
        check=True,
    )
    line = next(line for line in made.stdout.decode().splitlines() if line.startswith("state "))
    before = json.loads(json.dumps(raw.tree_state(tree)))
    assert list(raw.differences(before, json.loads(line.removeprefix("state ")))) == []


def test_rebuilding_twice_gives_equal_trees() -> None:
    new_file()
    bundle = json.loads(json.dumps(export_tree(Maker(5).make())))
    new_file()
    first, second = build_tree(bundle), build_tree(bundle)
    assert json.loads(json.dumps(export_tree(first))) == bundle
    again = json.loads(json.dumps(export_tree(second)))
    back = {name: strip_suffix(name) for name in again["trees"]}
    assert list(differences(bundle, rename(again, back))) == []


# -- cases found by random trees, one by one


def _clipped_curve(tree: Any) -> None:
    mapping = tree.nodes.new("ShaderNodeFloatCurve").mapping
    mapping.clip_max_x = 0.5
    for place in (0.2, 0.7, 0.9):
        mapping.curves[0].points.new(place, place).handle_type = "VECTOR"


def _frame_of_fixed_size(tree: Any) -> None:
    frame = tree.nodes.new("NodeFrame")
    frame.shrink, frame.width, frame.height = False, 432.5, 321.0


def _second_output_is_active(tree: Any) -> None:
    for _ in range(3):
        node = tree.nodes.new("NodeGroupOutput")
    node.is_active_output = True
    tree.nodes[1].is_active_output = True


def _reroute_without_link(tree: Any) -> None:
    tree.interface.new_socket("Share", in_out="INPUT", socket_type="NodeSocketFloat").subtype = "FACTOR"
    start, reroute = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeReroute")
    link = tree.links.new(reroute.inputs[0], start.outputs[0])
    tree.interface_update(bpy.context)
    tree.links.remove(link)
    tree.interface_update(bpy.context)
    reroute.inputs[0].default_value = 0.25
    assert reroute.inputs[0].bl_idname == "NodeSocketFloatFactor"


def _menu_without_a_legal_item(tree: Any) -> None:
    menu = tree.nodes.new("GeometryNodeMenuSwitch")
    menu.enum_items.clear()
    menu.enum_items.new("Third")


def _older_and_newer_structure(tree: Any) -> None:
    for structure in ("AUTO", "DYNAMIC"):
        item = tree.interface.new_socket("A", in_out="INPUT", socket_type="NodeSocketFloat")
        item.force_non_field = True
        item.structure_type = structure


def _viewer(tree: Any) -> None:
    node = tree.nodes.new("GeometryNodeViewer")
    node.ui_shortcut = 3
    for kind in ("GEOMETRY", "FLOAT", "INT"):
        node.viewer_items.new(kind, kind)
    node.viewer_items.remove(node.viewer_items[0])


def _menu_of_its_own(tree: Any) -> None:
    menu, switch = tree.nodes.new("FunctionNodeInputMenu"), tree.nodes.new("GeometryNodeMenuSwitch")
    tree.links.new(switch.inputs[0], menu.outputs[0])
    tree.interface_update(bpy.context)
    menu.value = "B"


def _panels_after_sockets(tree: Any) -> None:
    tree.interface.new_socket("First", in_out="INPUT", socket_type="NodeSocketFloat")
    panel = tree.interface.new_panel("Panel")
    tree.interface.remove(tree.interface.new_socket("Gone", in_out="INPUT", socket_type="NodeSocketFloat"))
    tree.interface.new_socket("Second", in_out="INPUT", socket_type="NodeSocketFloat", parent=panel)


def _structure_of_newer_files(tree: Any) -> None:
    """As Blender 4.5 reads them: its own menu offers only two."""
    names = [
        item.identifier
        for item in bpy.types.NodeTreeInterfaceSocket.bl_rna.properties["structure_type"].enum_items_static
    ]
    for name in names:
        tree.interface.new_socket(name, in_out="INPUT", socket_type="NodeSocketFloat")
    tree.interface.items_tree.foreach_set("structure_type", list(range(len(names))))
    numbers = [0] * len(names)
    tree.interface.items_tree.foreach_get("structure_type", numbers)
    assert numbers == list(range(len(names)))


CASES: list[tuple[Callable[[Any], None], tuple[int, int]]] = [
    (_clipped_curve, (4, 2)),
    (_frame_of_fixed_size, (4, 2)),
    (_second_output_is_active, (4, 2)),
    (_reroute_without_link, (4, 2)),
    (_menu_without_a_legal_item, (4, 2)),
    (_panels_after_sockets, (4, 2)),
    (_older_and_newer_structure, (5, 0)),
    (_structure_of_newer_files, (4, 5)),
    (_viewer, (5, 0)),
    (_menu_of_its_own, (5, 1)),
]


HERE = [draw for draw, since in CASES if VERSION >= since]  # older ones have no such thing


@pytest.mark.parametrize("draw", HERE, ids=lambda draw: draw.__name__.strip("_"))
def test_special_trees_are_rebuilt_equal(draw: Callable[[Any], None]) -> None:
    new_file()
    tree = bpy.data.node_groups.new("Special", TREE)
    draw(tree)
    tree.interface_update(bpy.context)
    before, after, text, again = rebuilt_elsewhere(tree)
    assert list(raw.differences(before, after)) == []
    assert text == again


# -- the trees that Blender ships, evaluated


def _evaluated(tree: Any) -> dict[str, Any]:
    """Every vertex, every instance and every warning of the tree on a small grid."""
    grid = bpy.data.meshes.new("Grid")
    corners = [(x / 3, y / 3, 0.0) for x in range(4) for y in range(4)]
    grid.from_pydata(corners, [], [(k, k + 1, k + 5, k + 4) for k in range(11) if k % 4 != 3])
    probe = bpy.data.objects.new("Probe", grid)
    bpy.context.scene.collection.objects.link(probe)
    modifier = probe.modifiers.new("Probe", "NODES")
    modifier.node_group = tree
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    made = probe.evaluated_get(graph)
    mesh = made.to_mesh()
    out = {
        "places": mesh and [tuple(round(part, 4) for part in vertex.co) for vertex in mesh.vertices],
        "faces": mesh and [tuple(face.vertices) for face in mesh.polygons],
        "instances": sorted(
            (i.object.name, *(round(part, 3) for row in i.matrix_world for part in row)) for i in graph.object_instances
        ),
        "warnings": sorted((w.type, w.message) for w in getattr(modifier, "node_warnings", ())),
    }
    made.to_mesh_clear()
    bpy.data.objects.remove(probe)
    bpy.data.meshes.remove(grid)
    return out


@pytest.mark.skipif(VERSION < (4, 5), reason="Blender 4.2 ships few trees")
def test_shipped_trees_evaluate_equally() -> None:
    total = changed = 0
    for number, tree in enumerate(shipped_trees()):
        if not FULL and number % 6:
            continue
        known = {group.name for group in bpy.data.node_groups}
        new = build_tree(json.loads(json.dumps(export_tree(tree))), "Rebuilt")
        before = _evaluated(tree)
        assert before == _evaluated(new), tree.name
        total += 1
        changed += len(before["places"] or ()) != 16
        for group in [g for g in bpy.data.node_groups if g.name not in known]:
            bpy.data.node_groups.remove(group)
    assert total >= 4 and changed > 0
