# SPDX-License-Identifier: GPL-3.0-or-later
"""Any edit by hand between any two moments of a run: no edit is lost and nothing is half done.

Each seed is a random plan over a scene of the artist's, with one random edit by hand at a random moment. A run that is
not done leaves the file as the edit alone would have made it; a tree that was edited while the run changed it is
restored, and the edited one kept beside it. A run that is done keeps the edit. ``GEONODE_FULL=1`` plays thousands of
seeds, else a share within ``SHARE_S``; ``GEONODE_SEED`` plays one, ``GEONODE_SEEDS`` that many, from
``GEONODE_SEED`` on if that is given too.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.host import modifiers, transaction
from geonode_assistant.run import driver, session
from whole_file import end, everything, fresh_scene, lift
from whole_file import plan as lifting

pytestmark = pytest.mark.usefixtures("untried")

SHARE_S = 20
FULL_SEEDS = 3000
PATIENCE_S = 30
ASIDE = " (edited)"


def build_scene() -> None:
    """A plane with a tree of the artist's and a result of the assistant's, and a cube with another tree."""
    fresh_scene()
    plane = bpy.data.objects["Plane"]
    tree = bpy.data.node_groups.new("A", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat")
    begin, finish = (tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output"))
    source = begin.outputs[0]
    for kind, name in (("GeometryNodeTransform", "Art"), ("GeometryNodeSetPosition", "Pos")):
        node = tree.nodes.new(kind)
        node.name = name
        tree.links.new(source, node.inputs[0])
        source = node.outputs[0]
    tree.links.new(source, finish.inputs[0])
    tree.nodes.new("ShaderNodeMath").name = "Spare"
    plane.modifiers.new("X", "NODES").node_group = tree
    turn("X", "Amount", 0.25)
    assert api.apply_plan(lifting(*lift(1.0))).ok
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.ed.undo_push(message="Scene")


def turn(modifier: str, name: str, value: float) -> None:
    found = bpy.data.objects["Plane"].modifiers[modifier]
    item = next(item for item in modifiers.inputs_of(found.node_group) if item.name == name)
    modifiers.write_input(found, item.identifier, value)


def read(name: str) -> Any:
    """The value of an input of the plane's modifiers that has this name."""
    plane = bpy.data.objects.get("Plane") or bpy.data.objects["Renamed"]
    for modifier in plane.modifiers:
        for item in modifiers.inputs_of(modifier.node_group) if modifier.type == "NODES" else ():
            if item.name == name:
                return modifiers.read_inputs(modifier)[item.identifier]
    return None


# -- plans


def operations(dice: random.Random, made: str) -> list[dict[str, Any]]:
    """Random edits of the artist's tree; ``made`` is the ID of a node that they may add."""
    number = dice.randint(2, 9)
    chain = [
        {"op": "create_node", "node_id": made, "bl_idname": "GeometryNodeSetPosition"},
        {"op": "link", "from": end("Pos"), "to": end(made)},
        {"op": "link", "from": end(made), "to": end("group_output")},
    ]
    choices: list[list[dict[str, Any]]] = [
        [{"op": "set_input_default", "node_id": "Art", "socket": "Translation", "value": [0, 0, number]}],
        [{"op": "set_input_default", "node_id": "Pos", "socket": "Offset", "value": [0, number, 0]}],
        [
            {
                "op": "set_group_io",
                "direction": "input",
                "name": f"New {made}",
                "socket_type": "NodeSocketFloat",
                "default": number,
            }
        ],
        chain,
    ]
    return [op for part in dice.sample(choices, dice.randint(1, 3)) for op in part]


CUT = {"op": "unlink", "from": end("Pos"), "to": end("group_output")}


def one_plan(dice: random.Random, turn_number: int, done: bool, target: str) -> dict[str, Any]:
    if target == "New":
        body = lifting(*lift(float(dice.randint(2, 9))), done=done)
        body["steps"][0]["payload"]["target"] |= {"modifier_name": "New", "node_group_name": "New"}
        return body
    if target == "Lift":
        up = {"op": "set_input_default", "node_id": "up", "socket": "Translation", "value": [0, 0, dice.randint(2, 9)]}
        return lifting(up, done=done)
    steps = []
    for number in range(dice.randint(1, 2)):
        made = operations(dice, f"n{turn_number}{number}")
        if dice.random() < 0.2:
            made = [op for op in made if op["op"] != "link" and op["op"] != "create_node"] + [CUT]
        body = lifting(*made, step={"id": f"s{number}", "requires_approval": dice.random() < 0.3})
        body["steps"][0]["payload"]["target"] |= {"modifier_name": "X", "node_group_name": "A"}
        steps += body["steps"]
    return {"version": "1.1", "steps": steps, "done": done, "final_message": "Done."}


def replies(dice: random.Random) -> list[dict[str, Any]]:
    """What the model answers: one or two turns, the last one again for its retries."""
    target = dice.choice(("A", "A", "A", "A", "Lift", "New"))
    turns = dice.choice((1, 1, 2))
    made = [one_plan(dice, number, number == turns - 1, target) for number in range(turns)]
    return made + made[-1:] * 3


# -- hands: each makes one edit and returns what shows it


def a() -> Any:
    return next(tree for name in ("A", "B") if (tree := bpy.data.node_groups.get((name, None))) is not None)


def versions() -> Iterator[Any]:
    """The artist's tree, and the one that was kept beside it."""
    for tree in bpy.data.node_groups:
        if tree.name.removesuffix(ASIDE) in ("A", "B") and tree.library is None:
            yield tree


Shows = Callable[[], bool]


def other_tree(value: float, folder: Path) -> Shows:
    bpy.data.node_groups["Artist"].nodes.new("ShaderNodeMath").name = "Late"
    return lambda: "Late" in bpy.data.node_groups["Artist"].nodes


def other_node(value: float, folder: Path) -> Shows:
    a().nodes["Spare"].inputs[0].default_value = value
    return lambda: any(tree.nodes["Spare"].inputs[0].default_value == pytest.approx(value) for tree in versions())


def same_node(value: float, folder: Path) -> Shows:
    place = "Scale"
    a().nodes["Art"].inputs[place].default_value = (value, 1, 1)
    return lambda: any(tree.nodes["Art"].inputs[place].default_value[0] == pytest.approx(value) for tree in versions())


def same_value(value: float, folder: Path) -> Shows:
    place = "Translation"
    a().nodes["Art"].inputs[place].default_value = (value, 0, 0)
    return lambda: any(tree.nodes["Art"].inputs[place].default_value[0] == pytest.approx(value) for tree in versions())


def label(value: float, folder: Path) -> Shows:
    a().nodes["Pos"].label = "Mine"
    return lambda: any(tree.nodes["Pos"].label == "Mine" for tree in versions())


def rename_node(value: float, folder: Path) -> Shows:
    a().nodes["Pos"].name = "My Position"
    return lambda: any("My Position" in tree.nodes for tree in versions())


def move(value: float, folder: Path) -> Shows:
    a().nodes["Spare"].location = (value, value)
    return lambda: any(tree.nodes["Spare"].location[0] == pytest.approx(value) for tree in versions())


def delete_spare(value: float, folder: Path) -> Shows:
    a().nodes.remove(a().nodes["Spare"])
    return lambda: any("Spare" not in tree.nodes for tree in versions())


def delete_node(value: float, folder: Path) -> Shows:
    tree = a()
    source = tree.nodes["Art"].inputs[0].links[0].from_socket
    tree.nodes.remove(tree.nodes["Art"])
    tree.links.new(source, tree.nodes["Pos"].inputs[0])
    return lambda: any("Art" not in tree.nodes for tree in versions())


def insert(value: float, folder: Path) -> Shows:
    tree = a()
    out = next(node for node in tree.nodes if node.bl_idname == "NodeGroupOutput")
    source = out.inputs[0].links[0].from_socket
    node = tree.nodes.new("GeometryNodeTransform")
    node.name = "Late"
    tree.links.new(source, node.inputs[0])
    tree.links.new(node.outputs[0], out.inputs[0])
    return lambda: any("Late" in tree.nodes and tree.nodes["Late"].outputs[0].is_linked for tree in versions())


def add_input(value: float, folder: Path) -> Shows:
    a().interface.new_socket("Mine", in_out="INPUT", socket_type="NodeSocketFloat").default_value = value
    return lambda: any(any(item.name == "Mine" for item in tree.interface.items_tree) for tree in versions())


def rename_input(value: float, folder: Path) -> Shows:
    next(item for item in a().interface.items_tree if item.name == "Amount").name = "Strength"
    return lambda: any(any(item.name == "Strength" for item in tree.interface.items_tree) for tree in versions())


def rename_tree(value: float, folder: Path) -> Shows:
    a().name = "B"
    return lambda: "B" in bpy.data.node_groups


def duplicate_tree(value: float, folder: Path) -> Shows:
    a().copy().name = "Copy"
    return lambda: "Copy" in bpy.data.node_groups


def describe_asset(value: float, folder: Path) -> Shows:
    a().asset_mark()
    a().asset_data.author = "me"
    return lambda: a().asset_data is not None and a().asset_data.author == "me"


def fake_user(value: float, folder: Path) -> Shows:
    a().use_fake_user = True
    return lambda: bool(a().use_fake_user)


def turn_input(value: float, folder: Path) -> Shows:
    turn("X", "Amount", value)
    return lambda: read("Amount") == pytest.approx(value)


def rename_modifier(value: float, folder: Path) -> Shows:
    bpy.data.objects["Plane"].modifiers["X"].name = "Y"
    return lambda: "Y" in bpy.data.objects["Plane"].modifiers


def delete_modifier(value: float, folder: Path) -> Shows:
    stack = bpy.data.objects["Plane"].modifiers
    stack.remove(stack["Lift"])
    return lambda: "Lift" not in bpy.data.objects["Plane"].modifiers


def add_modifier(value: float, folder: Path) -> Shows:
    bpy.data.objects["Plane"].modifiers.new("Sub", "SUBSURF")
    return lambda: "Sub" in bpy.data.objects["Plane"].modifiers


def reuse_tree(value: float, folder: Path) -> Shows:
    bpy.data.objects["Cube"].modifiers.new("Again", "NODES").node_group = a()
    return lambda: bpy.data.objects["Cube"].modifiers["Again"].node_group == a()


def rename_object(value: float, folder: Path) -> Shows:
    bpy.data.objects["Plane"].name = "Renamed"
    return lambda: "Renamed" in bpy.data.objects


def delete_object(value: float, folder: Path) -> Shows:
    bpy.data.objects.remove(bpy.data.objects["Plane"])
    return lambda: "Plane" not in bpy.data.objects


def edit_mode(value: float, folder: Path) -> Shows:
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    bpy.ops.object.mode_set(mode="EDIT")
    return lambda: bpy.context.mode == "EDIT_MESH"


def edit_target(value: float, folder: Path) -> Shows:
    bpy.context.view_layer.objects.active = bpy.data.objects["Plane"]
    bpy.ops.object.mode_set(mode="EDIT")
    return lambda: bpy.context.mode == "EDIT_MESH"


def undo(value: float, folder: Path) -> Shows:
    bpy.ops.ed.undo()
    return lambda: True


def save(value: float, folder: Path) -> Shows:
    file = folder / "saved.blend"
    file.unlink(missing_ok=True)
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
    except RuntimeError:
        return lambda: True  # refused while a run writes

    def whole() -> bool:
        with bpy.data.libraries.load(str(file)) as (found, _):
            return not any(name.startswith((transaction.KEEP_PREFIX, transaction.MARK)) for name in found.node_groups)

    return whole


def link_tree(value: float, folder: Path) -> Shows:
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.node_groups = ["New"]
    return lambda: any(tree.library is not None for tree in bpy.data.node_groups)


HANDS: list[Callable[[float, Path], Shows]] = [
    other_tree,
    other_node,
    same_node,
    same_value,
    label,
    rename_node,
    move,
    delete_spare,
    delete_node,
    insert,
    add_input,
    rename_input,
    rename_tree,
    duplicate_tree,
    describe_asset,
    fake_user,
    turn_input,
    rename_modifier,
    delete_modifier,
    add_modifier,
    reuse_tree,
    rename_object,
    delete_object,
    edit_mode,
    edit_target,
    undo,
    save,
    link_tree,
]


# -- playing


def play(
    dice: random.Random, hand: Callable[[float, Path], Shows], value: float, folder: Path
) -> tuple[Any, Shows, bool]:
    """Plays one run with an edit at a random moment; returns the report, what shows the edit, and whether the artist
    agreed to something after it, or the run had not looked at the file before it."""
    moment = dice.randint(0, 25)
    # Mostly one effect between two looks at the file; else as a window polls, where writes follow each other at once.
    budget = 0.0 if dice.random() < 0.8 else driver.POLL_BUDGET_S
    handle = api.start("edit it", "Plane", "replay", replies=[json.dumps(one) for one in replies(dice)], approve="ask")
    shows: Shows | None = None
    polls, knowing = 0, False
    inspect, looked = handle.host.inspect, []

    def inspecting(objects: list[str], trees: list[str]) -> Any:
        looked.append(True)
        return inspect(objects, trees)

    handle.host.inspect = inspecting
    deadline = time.monotonic() + PATIENCE_S
    while not handle.finished:
        assert time.monotonic() < deadline, f"stuck in {handle.state}"
        if polls == moment and shows is None:
            shows, knowing = hand(value, folder), not looked
        handle.poll(budget)
        polls += 1
        for request in list(handle.pending):
            knowing |= shows is not None
            if shows is None and dice.random() < 0.5:
                shows = hand(value, folder)  # while the artist reads the question
            handle.approve(request) if dice.random() < 0.85 else handle.reject(request)
        if not handle.finished:
            handle.wait(2)
    if shows is None:
        shows = hand(value, folder)
    return handle.report(), shows, knowing


def without_aside(found: dict[str, Any]) -> dict[str, Any]:
    """The file without the trees that were kept beside restored ones, and without counts of users."""
    blocks = {kind: [name for name in names if not name.endswith(ASIDE)] for kind, names in found["blocks"].items()}
    trees = {name: tree for name, tree in found["trees"].items() if not name.endswith(ASIDE)}
    rest = {key: value for key, value in found.items() if key != "tree_users"}
    return rest | {"trees": trees, "blocks": blocks}


def check(seed: int, folder: Path, tally: Counter[str]) -> str | None:
    """Plays a seed; returns what is wrong afterwards."""
    dice = random.Random(seed)
    hand = dice.choice(HANDS)
    value = float(dice.randint(10, 99))
    build_scene()
    before = without_aside(everything())
    hand(value, folder)
    alone = without_aside(everything())
    session.current.close()
    build_scene()
    report, shows, knowing = play(dice, hand, value, folder)
    story = f"seed {seed}: {hand.__name__}, {report.status}, {[(m['code'], m['text'][:300]) for m in report.messages]}"
    left = [g.name for g in bpy.data.node_groups if g.name.startswith((transaction.KEEP_PREFIX, transaction.MARK))]
    if left:
        return f"{story}: left {left}"
    bpy.context.view_layer.update()
    found = everything()
    now = without_aside(found)
    aside = [name for name in found["trees"] if name.endswith(ASIDE)]
    tally[f"{report.status}{', kept aside' if aside else ''}"] += 1
    if any(message["code"] in ("internal_error", "restore_failed") for message in report.messages):
        return f"{story}: an error that should not be"
    if not shows():
        # A plan that names what was edited may change it after a question, or if it was made from the edited file.
        knowing |= any("by hand" in m["text"] and m["severity"] != "info" for m in report.messages)
        named = hand in (same_value, insert, delete_modifier)
        if not (named and report.status == "done" and knowing):
            return f"{story}: the edit is lost"
    if report.status == "done":
        touched = {"A", "B", "Lift", "New", "Copy"}
        same = {name: tree for name, tree in alone["trees"].items() if name not in touched}
        if {name: now["trees"].get(name) for name in same} != same:
            return f"{story}: another tree changed"
        # The artist's tree on the cube follows the tree that the run changed.
        free = {"New", "Copy"} | ({"New.001"} if hand is link_tree else set())  # the linked tree has the name then
        more = {name for name in now["trees"] if name not in {**alone["trees"], **before["trees"]}} - free
        if more or {"A", "B"} <= now["trees"].keys():
            return f"{story}: made beside what was renamed, {more}"
        stack = [m["name"] for m in now["objects"].get("Plane", {"modifiers": []})["modifiers"]]
        if {"X", "Y"} <= set(stack) or len(stack) != len(set(stack)):
            return f"{story}: modifiers beside what was renamed, {stack}"
        if hand is not reuse_tree and now["objects"].get("Cube") != alone["objects"].get("Cube"):
            return f"{story}: another object changed"
        return None
    if hand is duplicate_tree:  # the copy is one of that moment
        for state in (now, alone):
            state["trees"].pop("Copy", None)
    if now == alone or aside and now == before:
        return None
    names = {
        key: [name for name in {**now[key], **alone[key]} if now[key].get(name) != alone[key].get(name)]
        for key in ("trees", "objects", "blocks")
    }
    return f"{story}: half done, {names}, aside {aside}"


def test_edits_by_hand_survive_and_no_run_is_half_applied(tmp_path: Path) -> None:
    fresh_scene()
    bpy.data.node_groups.new("New", "GeometryNodeTree").use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    one, many = os.environ.get("GEONODE_SEED"), os.environ.get("GEONODE_SEEDS")
    full = bool(os.environ.get("GEONODE_FULL")) or many is not None
    start = int(one) if one else 0
    seeds = range(start, start + (int(many) if many else 1 if one else FULL_SEEDS))
    deadline = time.monotonic() + (10 * 3600 if full or one else SHARE_S)
    wrong: list[str] = []
    tally: Counter[str] = Counter()
    geonode_assistant.register()
    try:
        for seed in seeds:
            if time.monotonic() > deadline:
                break
            if problem := check(seed, tmp_path, tally):
                wrong.append(problem)
            session.current.close()
            if len(wrong) == (40 if full else 5):
                break
    finally:
        session.current.close()
        geonode_assistant.unregister()
    print(f"\nhands: {sum(tally.values())} plans, {dict(tally)}, {len(wrong)} wrong")
    assert wrong == [], "\n\n".join(wrong)
    assert one or sum(tally.values()) >= 20, "too few seeds were played to be meaningful: the machine is too slow"
