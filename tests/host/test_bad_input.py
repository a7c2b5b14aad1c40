# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid documents and edits give an error with a code or the right result, never a crash or half a tree."""

from __future__ import annotations

import copy
import json
import math
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant.host import context, evaluate
from geonode_assistant.host.apply import apply_delta
from geonode_assistant.host.build import build_tree
from geonode_assistant.host.errors import HostError
from geonode_assistant.host.export import export_one, export_tree
from geonode_assistant.host.transaction import Transaction
from making import on, socket, step, through
from random_trees import TREE

FULL = bool(os.environ.get("GEONODE_FULL"))
ROUNDS = 3000 if FULL else 250


def node(node_id: str, kind: str = "ShaderNodeMath", **more: Any) -> dict[str, Any]:
    return {"id": node_id, "name": node_id, "type": kind, "location": [0.0, 0.0]} | {
        "props": {},
        "inputs": {},
        "outputs": {},
        **more,
    }


def tree(nodes: list[Any], interface: list[Any] | None = None, links: list[Any] | None = None) -> dict[str, Any]:
    return {"settings": {}, "interface": interface or [], "nodes": nodes, "links": links or []}


def bundle(root: dict[str, Any], **others: dict[str, Any]) -> dict[str, Any]:
    return {"ir": 1, "blender": list(bpy.app.version), "root": "Root", "trees": {"Root": root, **others}}


def group(node_id: str, of: str) -> dict[str, Any]:
    return node(node_id, "GeometryNodeGroup", props={"node_tree": {"node_group": of}})


def panel(number: int) -> dict[str, Any]:
    out = {"kind": "panel", "identifier": f"panel:{number}", "name": f"P{number}", "props": {}}
    return out | ({"parent": f"panel:{number - 1}"} if number else {})


def nested_groups(depth: int) -> dict[str, Any]:
    chain = {f"G{k}": tree([group("inner", f"G{k + 1}")]) for k in range(depth)}
    return bundle(tree([group("inner", "G0")]), **chain, **{f"G{depth}": tree([])})


def nested_frames(depth: int) -> dict[str, Any]:
    frames = [node(f"F{k}", "NodeFrame", **({"parent": f"F{k - 1}"} if k else {})) for k in range(depth)]
    return bundle(tree(frames))


def half_zone() -> dict[str, Any]:
    return bundle(tree([node("start", "GeometryNodeRepeatInput", pair="gone")]))


def value(number: Any) -> dict[str, Any]:
    return bundle(tree([node("a", inputs={"Value": {"value": number}})]))


FLOAT = {"kind": "socket", "identifier": "Socket_0", "name": "A", "in_out": "INPUT", "socket_type": "NodeSocketFloat"}
DOCUMENTS: list[tuple[str, Callable[[], Any], str]] = [
    ("no document", lambda: [], "invalid_document"),
    ("no trees", lambda: {"ir": 1, "root": "Root"}, "invalid_document"),
    ("nodes are no list", lambda: bundle(tree(7)), "invalid_document"),  # type: ignore[arg-type]
    ("a node is a number", lambda: bundle(tree([7])), "invalid_document"),
    ("trees are no object", lambda: {"ir": 1, "root": "Root", "trees": ["Root"]}, "invalid_document"),
    ("groups in a ring", lambda: bundle(tree([group("g", "B")]), B=tree([group("g", "Root")])), "cycle"),
    ("a group of itself", lambda: bundle(tree([group("g", "Root")])), "cycle"),
    ("10,000 nested groups", lambda: nested_groups(10_000), "too_deep"),
    ("10,000 nested frames", lambda: nested_frames(10_000), "too_deep"),
    ("10,000 nested panels", lambda: bundle(tree([], [panel(k) for k in range(10_000)])), "too_deep"),
    ("missing group", lambda: bundle(tree([group("g", "Nowhere")])), "unknown_data_block"),
    (
        "frames in a ring",
        lambda: bundle(tree([node("a", "NodeFrame", parent="b"), node("b", "NodeFrame", parent="a")])),
        "cycle",
    ),
    ("a node as frame", lambda: bundle(tree([node("a"), node("b", parent="a")])), "invalid_value"),
    ("half a zone", half_zone, "unknown_node"),
    ("unknown node type", lambda: bundle(tree([node("a", "ShaderNodeNothing")])), "unknown_node_type"),
    ("unknown socket type", lambda: bundle(tree([], [FLOAT | {"socket_type": "NodeSocketX"}])), "invalid_value"),
    ("one ID twice", lambda: bundle(tree([node("a"), node("a")])), "duplicate_id"),
    ("one name twice", lambda: bundle(tree([node("a"), node("b") | {"name": "a"}])), "duplicate_id"),
    ("one identifier twice", lambda: bundle(tree([], [FLOAT, FLOAT])), "duplicate_id"),
    ("too large a number", lambda: bundle(tree([], [FLOAT | {"identifier": "Socket_900000000"}])), "out_of_range"),
    ("not a number", lambda: value(math.nan), "non_finite_number"),
    ("infinite", lambda: value(-math.inf), "non_finite_number"),
    ("no 32-bit float", lambda: value(1e300), "non_finite_number"),
    ("no 32-bit integer", lambda: bundle(tree([node("a", "FunctionNodeInputInt", props={"integer": 1 << 40})])), ""),
    ("text as number", lambda: value("1"), "invalid_value"),
    ("nowhere", lambda: bundle(tree([node("a") | {"location": [math.nan, 0.0]}])), "non_finite_number"),
    ("infinitely wide", lambda: bundle(tree([node("a", width=math.inf)])), "non_finite_number"),
    (
        "another form of a nested group",
        lambda: bundle(tree([group("g", "In")]), In=tree([]) | {"nodes": [1]}),
        "invalid_document",
    ),
    ("bad name in a nested group", lambda: bundle(tree([group("g", "In")]), In=tree([node("")])), "bad_name"),
    ("name over 63 bytes", lambda: bundle(tree([node("é" * 32)])), "bad_name"),
    ("empty name", lambda: bundle(tree([node("")])), "bad_name"),
]


@pytest.mark.parametrize(("make", "code"), [d[1:] for d in DOCUMENTS], ids=[d[0] for d in DOCUMENTS])
def test_a_bad_document_is_refused_with_its_code(empty: None, make: Callable[[], Any], code: str) -> None:
    document = make()
    start = time.monotonic()
    with pytest.raises(HostError) as refused:
        build_tree(document)
    assert refused.value.code == (code or "invalid_value"), refused.value.message
    assert len(refused.value.message) > 20
    assert list(bpy.data.node_groups) == []
    assert time.monotonic() - start < 20


def test_what_is_not_built_of_a_document_is_not_judged(empty: None) -> None:
    unused = {"Names": tree([node("b"), node("b"), node("")]), "Form": tree([]) | {"nodes": [1]}}
    build_tree(bundle(tree([node("a")]), **unused))
    assert [found.name for found in bpy.data.node_groups] == ["Root"]
    assert [found.name for found in bpy.data.node_groups["Root"].nodes] == ["a"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a JSON document."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


JUNK = [None, True, -1, 1 << 40, 1.5, math.nan, "", "x", "é" * 200, "Socket_1", [], [1, 2], {}, {"object": "No"}, [[]]]


def mutated(draw: random.Random, document: Any) -> Any:
    """The document with one value replaced, duplicated or removed."""
    out = copy.deepcopy(document)
    path = draw.choice([p for p in places(out) if p])
    holder = out
    for key in path[:-1]:
        holder = holder[key]
    match draw.randrange(3):
        case 0:
            holder[path[-1]] = draw.choice(JUNK)
        case 1:
            del holder[path[-1]]
        case _ if isinstance(holder, list):
            holder.append(copy.deepcopy(draw.choice(holder)))
        case _:
            holder[draw.choice(["x", *holder])] = copy.deepcopy(holder[path[-1]])
    return out


def sample() -> Any:
    """A tree with one of each feature."""
    inner = through("Inner")
    outer = through("Outer")
    outer["add"] += [
        {"id": "group", "type": "GeometryNodeGroup"},
        {"id": "frame", "type": "NodeFrame", "label": "Frame"},
        {"id": "loop.in", "type": "GeometryNodeRepeatInput"},
        {"id": "loop.out", "type": "GeometryNodeRepeatOutput"},
        {"id": "menu", "type": "GeometryNodeMenuSwitch"},
        {"id": "ramp", "type": "ShaderNodeValToRGB"},
        {"id": "join", "type": "GeometryNodeJoinGeometry"},
    ]
    outer["interface"] += [
        {"op": "add", "key": "@p", "kind": "panel", "name": "Panel", "props": {}},
        socket("@h", "Height", "INPUT", "NodeSocketFloat", subtype="FACTOR", default_value=0.5) | {"parent": "@p"},
    ]
    outer["props"] = [["group", "node_tree", {"node_group": "Inner"}], ["menu", "data_type", "FLOAT"]]
    outer["pairs"] = [["loop.in", "loop.out"]]
    outer["parents"] = [["group", "frame"]]
    kinds = [{"name": "Geometry", "socket_type": "GEOMETRY"}, {"name": "Age", "socket_type": "INT"}]
    outer["items"] = [["loop.out", "repeat_items", kinds]]
    outer["links"] += [["in", "@in", "join", "Geometry"], ["move", "Geometry", "join", "Geometry", True]]
    apply_delta(step(inner, outer))
    return bpy.data.node_groups["Outer"]


def test_a_damaged_document_builds_or_leaves_nothing(empty: None) -> None:
    bundle = json.loads(json.dumps(export_tree(sample())))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    draw, refused = random.Random(1), 0
    for number in range(ROUNDS):
        document = mutated(draw, bundle)
        try:
            new = build_tree(document)
        except HostError as error:
            refused += 1
            assert error.code != "internal_error"
            assert list(bpy.data.node_groups) == [], (number, error.message)
        else:
            json.dumps(export_tree(new), allow_nan=False)
            for made in list(bpy.data.node_groups):
                bpy.data.node_groups.remove(made)
    assert ROUNDS / 5 < refused < ROUNDS


def test_a_damaged_edit_is_applied_or_restored(starter: None) -> None:
    sample()
    apply_delta(step(modifiers=[on("Plane", "Outer")]))
    edit = {
        "tree": "Outer",
        "create": False,
        "interface": [
            socket("@n", "New", "INPUT", "NodeSocketFloat", default_value=3.0),
            {"op": "change", "identifier": "Socket_1", "name": "Mesh", "props": {"description": "In"}},
        ],
        "remove": ["menu"],
        "add": [{"id": "a", "type": "GeometryNodeMenuSwitch"}, {"id": "b", "type": "ShaderNodeMath"}],
        "props": [["a", "data_type", "FLOAT"], ["b", "operation", "SINE"]],
        "items": [["a", "enum_items", [{"name": "One"}, {"name": "Two"}]]],
        "parents": [["b", "frame"]],
        "values": [["a", "=One", 2.0]],
        "links": [["in", "@n", "a", "=Two"]],
        "late_values": [["a", "Menu", "Two"]],
        "hide": [["b", "Value", True]],
        "locations": [["a", 5.0, 5.0]],
    }
    good = step(edit, inputs=[{"object": "Plane", "modifier": "GeoNode", "identifier": "=New", "value": 1.0}])
    before = export_one(bpy.data.node_groups["Outer"])[0]
    draw, failed = random.Random(2), 0
    for number in range(ROUNDS):
        transaction = Transaction(["Plane"], ["Outer"])
        try:
            transaction.apply(mutated(draw, good))
        except HostError:
            failed += 1
        except (ArithmeticError, AttributeError, LookupError, SystemError, TypeError, ValueError):
            failed += 1  # no delta of the core's: its types hold; the driver takes everything back
        assert transaction.restore() is True, number
    assert export_one(bpy.data.node_groups["Outer"])[0] == before
    assert context.names("node_group") == ["Inner", "Outer"]
    assert ROUNDS / 5 < failed < ROUNDS


def test_a_hundred_thousand_operations_are_carried_out(empty: None) -> None:
    apply_delta(step(through()))
    values = [["move", "Offset", [0.0, 0.0, float(k)]] for k in range(100_000)]
    many = {"tree": "Test", "create": False, "values": values}
    start = time.monotonic()
    assert apply_delta(step(many))["values"] == 100_000
    assert time.monotonic() - start < 60
    assert bpy.data.node_groups["Test"].nodes["move"].inputs["Offset"].default_value[2] == 99_999.0


def test_links_in_a_ring_and_into_a_zone_are_found(empty: None) -> None:
    edit = through(
        add=[
            *through()["add"],
            {"id": "a", "type": "ShaderNodeMath"},
            {"id": "b", "type": "ShaderNodeMath"},
            {"id": "loop.in", "type": "GeometryNodeRepeatInput"},
            {"id": "loop.out", "type": "GeometryNodeRepeatOutput"},
            {"id": "inside", "type": "GeometryNodeSetPosition"},
        ],
        pairs=[["loop.in", "loop.out"]],
        links=[
            ["a", "Value", "b", "Value"],
            ["b", "Value", "a", "Value"],
            ["loop.in", "=Geometry", "inside", "Geometry"],
            ["inside", "Geometry", "out", "@out"],
        ],
    )
    apply_delta(step(edit))
    found = bpy.data.node_groups["Test"]
    assert len(found.links) == 4
    ends = {(link[0], link[2]) for link in evaluate.invalid_links(found)}
    assert ends & {("a", "b"), ("b", "a")}
    again = build_tree(json.loads(json.dumps(export_tree(found))), "Again")
    assert len(again.links) == 4


@pytest.mark.parametrize("name", ["é" * 40, "x" * 64, "日" * 30, "🪨" * 20])
def test_long_ids_give_names_cut_between_characters(empty: None, name: str) -> None:
    apply_delta(step({"tree": "Test", "create": True, "add": [{"id": name, "type": "ShaderNodeMath"}]}))
    made = bpy.data.node_groups["Test"].nodes[0]
    assert name.startswith(made.name) and 60 <= len(made.name.encode()) <= 63
    assert export_one(bpy.data.node_groups["Test"])[0]["nodes"][0]["id"] == name


def test_a_modifier_name_that_blender_would_truncate_is_refused(starter: None) -> None:
    with pytest.raises(HostError) as refused:
        apply_delta(step(through(), modifiers=[on("Plane", "Test", "é" * 32)]))
    assert refused.value.code == "bad_name"
    assert len(bpy.data.objects["Plane"].modifiers) == 0


def test_groups_without_users_are_edited_like_others(empty: None) -> None:
    lone = bpy.data.node_groups.new("Lone", TREE)
    assert lone.users == 0
    transaction = Transaction([], ["Lone"])
    transaction.apply(step({"tree": "Lone", "create": False, "add": [{"id": "a", "type": "ShaderNodeMath"}]}))
    assert transaction.restore() is True
    assert (bpy.data.node_groups["Lone"].users, len(bpy.data.node_groups["Lone"].nodes)) == (0, 0)


def test_a_zone_that_has_lost_its_input_can_be_read_and_removed(empty: None) -> None:
    found = bpy.data.node_groups.new("Test", TREE)
    start, end = found.nodes.new("GeometryNodeRepeatInput"), found.nodes.new("GeometryNodeRepeatOutput")
    start.pair_with_output(end)
    end.repeat_items.new("FLOAT", "Left")
    found.nodes.remove(start)
    first = json.loads(json.dumps(export_tree(found)))
    told = first["trees"]["Test"]["nodes"][0]["items"]["repeat_items"]
    assert [item["name"] for item in told] == ["Geometry", "Left"]
    again = build_tree(first, "Again")
    assert [item.name for item in again.nodes[0].repeat_items] == ["Geometry", "Left"]
    apply_delta(step({"tree": "Test", "create": False, "remove": [end.name]}))
    assert len(found.nodes) == 0


# -- edits by the artist in the middle of a transaction


def _delete_object() -> None:
    bpy.data.objects.remove(bpy.data.objects["Plane"])


def _rename_object() -> None:
    bpy.data.objects["Plane"].name = "Other"


def _delete_tree() -> None:
    bpy.data.node_groups.remove(bpy.data.node_groups["Test"])


def _rename_tree() -> None:
    bpy.data.node_groups["Test"].name = "Other"


def _delete_modifier() -> None:
    bpy.data.objects["Plane"].modifiers.clear()


def _rename_modifier() -> None:
    bpy.data.objects["Plane"].modifiers[0].name = "Other"


def _delete_node() -> None:
    nodes = bpy.data.node_groups["Test"].nodes
    nodes.remove(nodes["move"])


def _delete_copies() -> None:
    for kept in [g for g in bpy.data.node_groups if g.name.startswith(".")]:
        bpy.data.node_groups.remove(kept)


def _new_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


HANDS = [
    _delete_object,
    _rename_object,
    _delete_tree,
    _rename_tree,
    _delete_modifier,
    _rename_modifier,
    _delete_node,
    _delete_copies,
    _new_file,
]


@pytest.mark.parametrize("end", ["restore", "commit"])
@pytest.mark.parametrize("meddle", HANDS, ids=lambda hand: hand.__name__.strip("_"))
def test_edits_by_the_artist_during_a_transaction(starter: None, meddle: Callable[[], None], end: str) -> None:
    apply_delta(step(through(), modifiers=[on("Plane", "Test")]))
    transaction = Transaction(["Plane"], ["Test"])
    first = {"tree": "Test", "create": False, "values": [["move", "Offset", [1.0, 1.0, 1.0]]]}
    transaction.apply(step(first))
    meddle()
    second = {"tree": "Test", "create": False, "add": [{"id": "more", "type": "ShaderNodeMath"}], "stamp": ["move"]}
    try:
        transaction.apply(step(second, modifiers=[on("Plane", "Test")]))
    except HostError as error:
        assert error.code in {
            "unknown_object", "unknown_node_group", "unknown_node", "unknown_data_block", "touched_by_artist"
        }  # fmt: skip
    evaluate.lists()
    if end == "restore":
        assert transaction.restore() in (True, False)
    else:
        try:
            transaction.commit("done")
        except HostError as error:  # the run restores then
            assert error.code == "touched_by_artist" and meddle in (_delete_copies, _new_file)
            assert transaction.restore() in (True, False)
    left = [g.name for g in bpy.data.node_groups if g.name.startswith(".")]
    assert left == []
    if bpy.data.node_groups.get("Test") is not None and end == "restore" and meddle is not _delete_copies:
        assert tuple(bpy.data.node_groups["Test"].nodes["move"].inputs["Offset"].default_value) == (0.0, 0.0, 1.0)
    assert bpy.context.view_layer.update() is None


def test_library_data_is_read_and_refused(scene_file: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(scene_file), link=True) as (_, wanted):
        wanted.node_groups = ["Test"]
    linked = bpy.data.node_groups["Test"]
    first = json.loads(json.dumps(export_tree(linked)))
    local = build_tree(first, "Local")
    assert [n.bl_idname for n in local.nodes] == [n.bl_idname for n in linked.nodes]
    with pytest.raises(HostError) as refused:
        apply_delta(step({"tree": "Test", "create": False, "values": [["move", "Offset", [1.0, 0.0, 0.0]]]}))
    assert refused.value.code == "library_data"
    user = through("User", links=[], values=[], add=[{"id": "g", "type": "GeometryNodeGroup"}], locations=[])
    user["props"] = [["g", "node_tree", {"node_group": "Test"}]]
    apply_delta(step(user))
    assert bpy.data.node_groups["User"].nodes["g"].node_tree == linked


@pytest.fixture
def scene_file(empty: None, tmp_path: Path) -> Path:
    apply_delta(step(through()))
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.node_groups["Test"]})
    return path
