# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of the artist is never taken over because of its name; results of runs are recognised by mark and content."""

from __future__ import annotations

from typing import Any

import bpy
import geonode_assistant
import pytest
from geonode_assistant import api
from geonode_assistant.cli import e2e
from geonode_assistant.host import export, modifiers, ownership
from geonode_assistant.run import session

OBJECTS = [
    {"name": "Plane", "primitive": "plane", "size": 10},
    {"name": "Rock", "primitive": "cube", "size": 0.2},
]


@pytest.fixture(autouse=True)
def scene() -> None:
    session.current.close()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    e2e.build_start({"objects": OBJECTS}, None)


def artists(name: str = "Scatter") -> Any:
    """Adds a modifier of that name to the plane, with a tree of the artist's."""
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    begin, end = (tree.nodes.new(f"NodeGroup{side}") for side in ("Input", "Output"))
    mine = tree.nodes.new("GeometryNodeTransform")
    mine.name = "Mine"
    tree.links.new(begin.outputs[0], mine.inputs[0])
    tree.links.new(mine.outputs[0], end.inputs[0])
    bpy.data.objects["Plane"].modifiers.new(name, "NODES").node_group = tree
    return tree


def run_prompt(prompt: str, approve: Any = None) -> Any:
    bpy.context.view_layer.update()
    return api.run(prompt, object="Plane", provider="offline", approve=approve)


def run_to_done(prompt: str) -> None:
    report = run_prompt(prompt)
    assert report.status == "done", report.messages


def state() -> dict[str, Any]:
    """Each modifier of the plane with its tree and values."""
    return {
        m.name: (m.node_group.name, export.export_one(m.node_group)[0], modifiers.read_inputs(m))
        for m in bpy.data.objects["Plane"].modifiers
    }


def set_by_hand(modifier: Any, name: str, value: Any) -> None:
    """Sets an input of a modifier as an artist would."""
    item = next(i for i in modifiers.inputs_of(modifier.node_group) if i.name == name)
    modifiers.write_input(modifier, item.identifier, value)


def read(modifier: Any, name: str) -> Any:
    item = next(i for i in modifiers.inputs_of(modifier.node_group) if i.name == name)
    return modifiers.read_inputs(modifier)[item.identifier]


def insert() -> None:
    """Adds a node by hand before the output of the last result."""
    tree = bpy.data.node_groups["Scatter"]
    node = tree.nodes.new("GeometryNodeTransform")
    node.name = "Inserted"
    out = next(n for n in tree.nodes if n.bl_idname == "NodeGroupOutput")
    source = out.inputs[0].links[0].from_socket
    tree.links.new(source, node.inputs[0])
    tree.links.new(node.outputs[0], out.inputs[0])


def reaches_the_output(tree: Any, name: str) -> bool:
    waiting = [n for n in tree.nodes if n.bl_idname == "NodeGroupOutput"]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node.name not in seen:
            seen.add(node.name)
            waiting += [link.from_node for socket in node.inputs for link in socket.links]
    return name in seen


def test_a_modifier_of_the_artists_is_not_taken_over() -> None:
    artists()
    before = state()
    run_to_done("scatter 100 cubes")
    after = state()
    assert after.pop("Scatter") == before["Scatter"]
    [(name, (tree, _, _))] = after.items()
    assert (name, tree) == ("Scatter.001", "Scatter.001")


def test_a_group_that_only_has_the_name_is_not_taken_over() -> None:
    tree = artists("Other")
    tree.name = "Scatter"
    before = export.export_one(tree)[0]
    run_to_done("scatter 100 cubes")
    assert export.export_one(bpy.data.node_groups["Scatter"])[0] == before
    assert bpy.data.objects["Plane"].modifiers["Scatter"].node_group.name == "Scatter.001"


def test_the_same_prompt_again_changes_nothing() -> None:
    run_to_done("scatter 100 cubes")
    before = state()
    run_to_done("scatter 100 cubes")
    assert state() == before


def test_a_long_prompt_is_known_by_all_of_its_words() -> None:
    beginning = "cover the plane with 80 trees, scale 0.5 to 1.5,"
    run_to_done(f"{beginning} seed 4")
    before = state()
    run_to_done(f"{beginning} seed 4")
    assert state() == before and len(before) == 1
    run_to_done(f"{beginning} seed 5")
    assert len(state()) == 2


def test_a_second_prompt_adds() -> None:
    run_to_done("scatter 100 cubes")
    plane = bpy.data.objects["Plane"]
    set_by_hand(plane.modifiers["Scatter"], "Seed", 7)
    insert()
    before = state()
    run_to_done("scatter 50 spheres")
    after = state()
    assert after["Scatter"] == before["Scatter"]
    assert [m.name for m in plane.modifiers] == ["Scatter", "Scatter.001"]
    assert read(plane.modifiers["Scatter.001"], "Count") == 50


def test_changing_the_last_result_keeps_values_set_by_hand() -> None:
    run_to_done("scatter 100 cubes")
    plane = bpy.data.objects["Plane"]
    set_by_hand(plane.modifiers["Scatter"], "Seed", 7)
    report = run_prompt("change it: scatter 50 cubes")
    assert report.status == "done", report.messages
    assert [m.name for m in plane.modifiers] == ["Scatter"]
    assert read(plane.modifiers["Scatter"], "Count") == 50
    assert read(plane.modifiers["Scatter"], "Seed") == 7


def test_a_value_set_by_hand_is_reset_only_after_approval() -> None:
    run_to_done("scatter 100 cubes")
    set_by_hand(bpy.data.objects["Plane"].modifiers["Scatter"], "Count", 80)
    before = state()
    report = run_prompt("scatter 100 cubes")
    assert report.status == "error" and report.messages[0]["code"] == "approval_required"
    assert "by hand; it becomes" in report.messages[0]["text"] and "80" in report.messages[0]["text"]
    assert state() == before
    asked: list[str] = []

    def agree(request: dict[str, Any]) -> str:
        asked.append(request["reason"])
        return "approved"

    assert run_prompt("scatter 100 cubes", agree).status == "done"
    assert read(bpy.data.objects["Plane"].modifiers["Scatter"], "Count") == 100
    assert len(asked) == 1 and "by hand" in asked[0]


def work_by_hand() -> dict[str, Any]:
    """Turns, inserts, removes, mutes and renames in the last result; returns its tree."""
    tree = bpy.data.node_groups["Scatter"]
    insert()
    tree.nodes["instances"].inputs["Pick Instance"].default_value = True
    tree.nodes["points"].distribute_method = "POISSON"
    tree.nodes.remove(tree.nodes["shuffle_weight"])
    tree.nodes["scale"].mute = True
    item = next(i for i in tree.interface.items_tree if i.name == "Seed")
    item.default_value, item.min_value, item.description = 42, 5, "mine"
    set_by_hand(bpy.data.objects["Plane"].modifiers["Scatter"], "Seed", 7)
    return export.export_one(tree)[0]


@pytest.mark.parametrize(
    ("prompt", "count"), [("scatter 100 cubes", 100), ("change it: scatter 50 cubes", 50), ("make it 50", 50)]
)
def test_a_change_by_words_leaves_all_that_was_done_by_hand(prompt: str, count: int) -> None:
    run_to_done("scatter 100 cubes")
    before = work_by_hand()
    for _ in range(2):
        run_to_done(prompt)
        (modifier,) = bpy.data.objects["Plane"].modifiers
        after = export.export_one(modifier.node_group)[0]
        changed = next(item for item in after["interface"] if item["name"] == "Count")
        assert changed["props"]["default_value"] == count == read(modifier, "Count")
        next(item for item in before["interface"] if item["name"] == "Count")["props"]["default_value"] = count
        assert after == before
        assert read(modifier, "Seed") == 7


def test_another_thing_is_linked_where_the_last_one_was() -> None:
    run_to_done("scatter 100 cubes")
    before = work_by_hand()
    set_by_hand(bpy.data.objects["Plane"].modifiers["Scatter"], "Size", 3.0)
    run_to_done("use spheres instead")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    after = export.export_one(modifier.node_group)[0]
    ids = [{node["id"] for node in tree["nodes"]} for tree in (before, after)]
    assert ids[0] - ids[1] == {"shape_cube"} and ids[1] - ids[0] == {"shape_sphere"}
    links = [
        [link for link in tree["links"] if not {link["from"][0], link["to"][0]} & {"shape_cube", "shape_sphere"}]
        for tree in (before, after)
    ]
    assert links[0] == links[1]
    assert read(modifier, "Size") == 3.0 and read(modifier, "Seed") == 7


def test_an_input_renamed_by_hand_is_the_same_input() -> None:
    run_to_done("scatter 100 cubes")
    tree = bpy.data.node_groups["Scatter"]
    next(i for i in tree.interface.items_tree if i.name == "Count").name = "Number"
    run_to_done("make it 50")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    names = [item.name for item in modifiers.inputs_of(tree)]
    assert "Number" in names and "Count" not in names and read(modifier, "Number") == 50


@pytest.mark.parametrize("managed", [False, True])
def test_a_range_set_by_hand_stays(managed: bool) -> None:
    run_to_done("scatter 100 cubes")
    tree = bpy.data.node_groups["Scatter"]
    count = next(i for i in tree.interface.items_tree if i.name == "Count")
    count.min_value, count.max_value, count.description = 5, 20, "Mine"
    if managed:
        api.let_manage(tree)
    run_to_done("make it 15")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    assert read(modifier, "Count") == 15
    assert (count.min_value, count.max_value, count.description) == (5, 20, "Mine")
    before = state()
    report = run_prompt("make it 21")
    assert report.status == "error" and "5 … 20" in report.messages[0]["text"], report.messages
    assert state() == before


def test_an_input_that_was_removed_by_hand_stays_removed() -> None:
    run_to_done("scatter 100 cubes")
    tree = bpy.data.node_groups["Scatter"]
    tree.interface.remove(tree.interface.items_tree["Count"])
    before = state()
    report = run_prompt("scatter 100 cubes")
    assert report.status == "done" and state() == before, report.messages
    assert any("removed by hand" in message["text"] for message in report.messages), report.messages
    report = run_prompt("make it 50")
    assert report.status == "error" and "“Count”" in report.messages[0]["text"] and state() == before


def page(text: str) -> dict[str, Any]:
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": {"text": text}}
    return {"version": "1.2", "steps": [step], "done": True, "final_message": "m"}


OTHER_PAGE = """
def scatter(geometry: Geometry) -> Geometry:
    points = distribute_points_on_faces(geometry, density=3.0)
    mine = ico_sphere(radius=0.1)
    return instance_on_points(points.points, instance=mine.mesh)

apply("Scatter", object="Plane", modifier="Scatter")
"""
SAME_TYPE = OTHER_PAGE.replace("ico_sphere(radius=0.1)", "transform_geometry(cube())").replace("mine.mesh", "mine")


@pytest.mark.parametrize("text", [OTHER_PAGE, SAME_TYPE])
@pytest.mark.parametrize("nodes", [0, 4])
def test_a_page_with_one_name_of_the_artists_nodes_makes_something_new(text: str, nodes: int) -> None:
    tree = artists()
    for _ in range(nodes):
        tree.nodes.new("GeometryNodeSetPosition")
    before = state()
    for _ in range(2):
        report = api.apply_plan(page(text))
        assert report.status == "done", report.messages
        after = state()
        assert after["Scatter"] == before["Scatter"] and list(after) == ["Scatter", "Scatter.001"]


def test_a_page_of_the_artists_tree_is_an_edit() -> None:
    tree = artists()
    move = tree.nodes.new("GeometryNodeSetPosition")
    tree.links.new(tree.nodes["Mine"].outputs[0], move.inputs[0])
    tree.links.new(move.outputs[0], next(n for n in tree.nodes if n.bl_idname == "NodeGroupOutput").inputs[0])
    text = "def scatter(geometry: Geometry) -> Geometry:\n    mine = transform_geometry(geometry, scale=(2, 2, 2))\n"
    text += '    return set_position(mine)\n\napply("Scatter", object="Plane")\n'
    for _ in range(2):
        report = api.apply_plan(page(text), approve="all")
        assert report.status == "done", report.messages
        assert len(state()) == 1 and tuple(tree.nodes["Mine"].inputs["Scale"].default_value) == (2, 2, 2)


@pytest.mark.parametrize("what", ["renamed", "shared", "another kind", "appended scene", "nothing"])
def test_a_change_of_what_cannot_be_changed_says_so(what: str, tmp_path: Any) -> None:
    prompt = "turn it into a wireframe" if what == "another kind" else "scatter 100 cubes"
    if what != "nothing":
        run_to_done(prompt)
    if what == "renamed":
        bpy.data.node_groups["Scatter"].name = "My Rocks"
    elif what == "shared":
        bpy.data.objects["Rock"].modifiers.new("Mine", "NODES").node_group = bpy.data.node_groups["Scatter"]
    elif what == "appended scene":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        with bpy.data.libraries.load(str(tmp_path / "library.blend")) as (_, wanted):
            wanted.scenes = ["Scene"]
        collection = bpy.context.scene.collection
        collection.objects.link(bpy.data.objects["Plane"])
    before = state()
    report = run_prompt("change it: scatter 50 cubes")
    assert report.status == "done", report.messages
    # Without an earlier result “it” is the object.
    assert ("this is a new one" in report.final_message) == (what != "nothing"), report.final_message
    after = state()
    assert len(after) == len(before) + 1 and {name: after[name] for name in before} == before


def test_a_renamed_modifier_and_a_fake_user_stay_the_last_result() -> None:
    run_to_done("scatter 100 cubes")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    modifier.name = "My Rocks"
    modifier.node_group.use_fake_user = True
    run_to_done("change it: scatter 50 cubes")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    assert modifier.name == "My Rocks" and read(modifier, "Count") == 50


def test_a_change_relative_to_what_is_there_says_of_what() -> None:
    run_to_done("scatter 100 cubes")
    before = state()
    assert run_prompt("change it to half").status == "error"
    assert state() == before
    run_to_done("make it twice as many")
    (modifier,) = bpy.data.objects["Plane"].modifiers
    assert read(modifier, "Count") == 200
    run_to_done("make it more")
    assert 200 < read(modifier, "Count") <= 400


def plan(*operations: dict[str, Any], modifier: str = "Scatter", group: str = "Scatter") -> dict[str, Any]:
    target = {"object_name": "Plane", "modifier_name": modifier, "node_group_name": group}
    payload = {"target": target, "operations": list(operations)}
    step = {"id": "s", "type": "NODE_TREE", "description": "d", "payload": payload}
    return {"version": "1.1", "steps": [step], "done": True, "final_message": "m"}


def link(source: str, target: str, to: str = "Geometry") -> dict[str, Any]:
    one = {"node_id": source, "socket": "Mesh" if source == "new" else "Geometry"}
    return {"op": "link", "from": one, "to": {"node_id": target, "socket": to}}


NEW = {"op": "create_node", "node_id": "new", "bl_idname": "GeometryNodeMeshCube"}


@pytest.mark.parametrize("kind", ["NODES", "BEVEL"])
def test_a_plan_that_only_creates_gets_the_next_free_name(kind: str) -> None:
    if kind == "NODES":
        artists()
    else:
        bpy.data.objects["Plane"].modifiers.new("Scatter", kind)
    tree = bpy.data.node_groups.get("Scatter")
    before = tree and export.export_one(tree)[0]
    made = plan(NEW, link("new", "group_output"))
    report = api.apply_plan(made)
    assert report.status == "done", report.messages
    assert "name_taken" in [message["code"] for message in report.messages]
    names = [m.name for m in bpy.data.objects["Plane"].modifiers]
    assert names == ["Scatter", "Scatter.001"]
    assert tree is None or export.export_one(tree)[0] == before
    # The same plan again finds it.
    after = state() if kind == "NODES" else None
    assert api.apply_plan(made).status == "done"
    assert [m.name for m in bpy.data.objects["Plane"].modifiers] == names
    assert after is None or state() == after


def test_naming_a_node_of_the_artists_is_an_edit() -> None:
    tree = artists()
    fine = {"op": "create_node", "node_id": "fine", "bl_idname": "GeometryNodeSetPosition"}
    report = api.apply_plan(plan(fine, link("Mine", "fine"), link("fine", "group_output")))
    assert report.status == "done", report.messages
    assert reaches_the_output(tree, "Mine") and len(bpy.data.objects["Plane"].modifiers) == 1


def test_cutting_the_artists_node_from_the_output_asks() -> None:
    tree = artists()
    mine = {"op": "set_input_default", "node_id": "Mine", "socket": "Scale", "value": [2, 2, 2]}
    cutting = plan(mine, NEW, link("new", "group_output"))
    before = state()
    report = api.apply_plan(cutting)
    assert report.status == "error" and report.messages[0]["code"] == "approval_required"
    assert "“Mine”" in report.messages[0]["text"]
    assert state() == before
    assert api.apply_plan(cutting, approve="all").status == "done"
    assert not reaches_the_output(tree, "Mine")


def test_removing_nodes_that_no_step_names_asks() -> None:
    tree = artists()
    tree.nodes.new("ShaderNodeMath").name = "Idea"
    ops = [
        {"op": "set_input", "node_id": "Mine", "socket_name": "Scale", "value": [2, 2, 2]},
        {"op": "cleanup_unused"},
    ]
    payload = {"v": 1, "target": {"object_name": "Plane", "modifier_name": "Scatter"}, "ops": ops}
    step = {"id": "s", "type": "GN_OPS", "description": "d", "payload": payload}
    report = api.apply_plan({"version": "1.1", "steps": [step], "done": True, "final_message": "m"})
    assert report.status == "error" and "“Idea”" in report.messages[0]["text"], report.messages
    assert "Idea" in tree.nodes


def test_a_new_result_is_never_added_to_an_earlier_one() -> None:
    """A plan with new nodes, under the names of an earlier result."""
    run_to_done("scatter 100 cubes")
    before = state()["Scatter"]
    report = api.apply_plan(plan(NEW, link("new", "group_output")))
    assert report.status == "done", report.messages
    after = state()
    assert after["Scatter"] == before and list(after) == ["Scatter", "Scatter.001"]


def test_later_steps_follow_to_the_new_name() -> None:
    artists()
    before = state()["Scatter"]
    made = plan(NEW, link("new", "group_output"))
    payload = {
        "v": 1,
        "target": {"object_name": "Plane", "modifier_name": "Scatter"},
        "ops": [{"op": "set_input", "node_id": "new", "socket_name": "Size", "value": [2, 2, 2]}],
    }
    made["steps"].append({"id": "t", "type": "GN_OPS", "description": "d", "payload": payload})
    report = api.apply_plan(made)
    assert report.status == "done", report.messages
    assert state()["Scatter"] == before
    tree = bpy.data.objects["Plane"].modifiers["Scatter.001"].node_group
    assert tuple(tree.nodes["new"].inputs["Size"].default_value) == (2, 2, 2)


def test_gn_ops_that_may_create_get_the_next_free_name() -> None:
    artists()
    before = state()["Scatter"]
    ops = [
        {"op": "ensure_target", "allow_create_modifier": True},
        {"op": "ensure_single_group_io"},
        {"op": "add_node", "id": "new", "bl_idname": "GeometryNodeMeshCube"},
        {"op": "link", "from_node": "new", "from_socket": "Mesh", "to_node": "group_output", "to_socket": "Geometry"},
    ]
    payload = {"v": 1, "target": {"object_name": "Plane", "modifier_name": "Scatter"}, "ops": ops}
    step = {"id": "s", "type": "GN_OPS", "description": "d", "payload": payload}
    made = {"version": "1.1", "steps": [step], "done": True, "final_message": "m"}
    for _ in range(2):
        report = api.apply_plan(made)
        assert report.status == "done", report.messages
        assert state()["Scatter"] == before
        assert [m.name for m in bpy.data.objects["Plane"].modifiers] == ["Scatter", "Scatter.001"]


def test_an_empty_tree_of_the_artists_may_be_filled() -> None:
    tree = artists()
    tree.nodes.remove(tree.nodes["Mine"])
    made = plan(NEW, link("new", "group_output"))
    for _ in range(2):
        assert api.apply_plan(made).status == "done"
        assert [m.name for m in bpy.data.objects["Plane"].modifiers] == ["Scatter"]
    assert "new" in tree.nodes


def test_the_artist_decides_whose_a_tree_is() -> None:
    run_to_done("scatter 100 cubes")
    tree = bpy.data.node_groups["Scatter"]
    api.make_mine(tree)
    before = state()["Scatter"]
    run_to_done("scatter 100 cubes")
    assert state()["Scatter"] == before and "Scatter.001" in bpy.data.objects["Plane"].modifiers
    api.let_manage(tree)
    mine = {"op": "set_input_default", "node_id": "instances", "socket": "Scale", "value": [2, 2, 2]}
    assert "instances" in tree.nodes
    # The assistant may replace what it manages.
    assert api.apply_plan(plan(mine, NEW, link("new", "group_output"))).status == "done"


def test_the_operators_do_the_same() -> None:
    registered = hasattr(bpy.types, "GEONODE_PT_nodes")
    if not registered:
        geonode_assistant.register()
    try:
        run_to_done("scatter 100 cubes")
        bpy.context.view_layer.objects.active = bpy.data.objects["Plane"]
        tree = bpy.data.node_groups["Scatter"]
        assert bpy.ops.geonode.make_mine() == {"FINISHED"} and ownership.read_mark(tree) is None
        assert bpy.ops.geonode.let_manage() == {"FINISHED"} and ownership.read_mark(tree)["as_left"]
        bpy.context.view_layer.objects.active = bpy.data.objects["Rock"]
        assert not bpy.ops.geonode.make_mine.poll()
    finally:
        if not registered:
            geonode_assistant.unregister()


def cube_of_the_artists() -> tuple[Any, Any]:
    """Adds a node to the artist's tree whose name is that of a new node in `MIXED`."""
    tree = artists()
    cube = tree.nodes.new("GeometryNodeMeshCube")
    cube.name = "new"
    cube.inputs["Size"].default_value = (5, 5, 5)
    join = tree.nodes.new("GeometryNodeJoinGeometry")
    join.name = "Join"
    tree.links.new(cube.outputs[0], join.inputs[0])
    tree.links.new(tree.nodes["Mine"].outputs[0], join.inputs[0])
    out = next(node for node in tree.nodes if node.bl_idname == "NodeGroupOutput")
    tree.links.new(join.outputs[0], out.inputs[0])
    return tree, cube


SMALL = {"op": "set_input_default", "node_id": "new", "socket": "Size", "value": [1, 1, 1]}
MIXED = (
    {"op": "set_input_default", "node_id": "Mine", "socket": "Translation", "value": [0, 0, 1]},
    NEW,
    SMALL,
    link("new", "Join"),
)


@pytest.mark.parametrize("pasted", [False, True])
def test_a_new_node_never_takes_the_artists_of_its_id(pasted: bool) -> None:
    tree, cube = cube_of_the_artists()
    if pasted:  # a copy of a node that some run made
        cube.name = "Their Cube"
        cube["geonode_id"] = "new"
    for _ in range(2):  # the same plan again finds its node
        report = api.apply_plan(plan(*MIXED))
        assert report.status == "done", report.messages
        assert "name_taken" in [message["code"] for message in report.messages]
        assert tuple(cube.inputs["Size"].default_value) == (5, 5, 5)
        cubes = [node for node in tree.nodes if node.bl_idname == "GeometryNodeMeshCube"]
        assert len(cubes) == 2
        [made] = [node for node in cubes if node != cube]
        assert tuple(made.inputs["Size"].default_value) == (1, 1, 1)
        assert made["geonode_id"] == "new.001" and reaches_the_output(tree, made.name)


def test_an_existing_node_that_is_named_first_is_edited() -> None:
    tree, cube = cube_of_the_artists()
    report = api.apply_plan(plan(SMALL, *MIXED))
    assert report.status == "done", report.messages
    assert tuple(cube.inputs["Size"].default_value) == (1, 1, 1)
    assert len([node for node in tree.nodes if node.bl_idname == "GeometryNodeMeshCube"]) == 1


@pytest.mark.parametrize("turned", [False, True])
def test_another_plan_with_the_same_ids_adds(turned: bool) -> None:
    first = plan(NEW, SMALL, link("new", "group_output"))
    assert api.apply_plan(first).status == "done"
    tree = bpy.data.node_groups["Scatter"]
    if turned:
        tree.nodes["new"].inputs["Size"].default_value = (4, 4, 4)
    before = state()
    other = plan(NEW, SMALL | {"value": [9, 9, 9]}, link("new", "group_output"))
    for _ in range(2):
        report = api.apply_plan(other)
        assert report.status == "done", report.messages
        after = state()
        assert list(after) == ["Scatter", "Scatter.001"] and after["Scatter"] == before["Scatter"]


def test_the_same_plan_after_work_by_hand_changes_nothing() -> None:
    made = plan(NEW, SMALL, link("new", "group_output"))
    assert api.apply_plan(made).status == "done"
    tree = bpy.data.node_groups["Scatter"]
    tree.nodes["new"].inputs["Size"].default_value = (4, 4, 4)
    tree.nodes["new"].label = "Mine"
    before = state()
    report = api.apply_plan(made)
    assert report.status == "done", report.messages
    assert state() == before
    assert any("by hand" in message["text"] for message in report.messages)
    # Naming the node is an edit, which may reset it after a question.
    report = api.apply_plan(plan(SMALL))
    assert report.status == "error" and report.messages[0]["code"] == "approval_required", report.messages
    assert "by hand; it becomes" in report.messages[0]["text"] and state() == before
    assert api.apply_plan(plan(SMALL), approve="all").status == "done"
    assert tuple(tree.nodes["new"].inputs["Size"].default_value) == (1, 1, 1)
    bpy.data.objects["Plane"].modifiers["Scatter"].name = "Renamed"
    before = state()
    assert api.apply_plan(made).status == "done"
    assert state() == before


def own_input(tree: Any) -> None:
    tree.interface.new_socket("Strength", in_out="INPUT", socket_type="NodeSocketFloat")


def own_label(tree: Any) -> None:
    tree.nodes[0].label = "Start"


@pytest.mark.parametrize("change", [own_input, own_label])
def test_a_tree_with_anything_of_the_artists_is_not_empty(change: Any) -> None:
    tree = artists()
    tree.nodes.remove(tree.nodes["Mine"])
    change(tree)
    before = state()["Scatter"]
    report = api.apply_plan(plan(NEW, link("new", "group_output")))
    assert report.status == "done", report.messages
    after = state()
    assert list(after) == ["Scatter", "Scatter.001"] and after["Scatter"] == before
    assert ownership.read_mark(tree) is None


def test_cutting_the_input_from_the_artists_nodes_asks() -> None:
    artists()
    before = state()
    report = api.apply_plan(plan(NEW, link("new", "Mine")))
    assert report.status == "error" and report.messages[0]["code"] == "approval_required", report.messages
    assert "“Geometry”" in report.messages[0]["text"] and state() == before


def test_dropping_items_with_links_of_the_artists_asks() -> None:
    tree = artists()
    menu = tree.nodes.new("GeometryNodeMenuSwitch")
    menu.name = "Menu"
    menu.data_type = "GEOMETRY"
    inputs = [socket for socket in menu.inputs if socket.type == "GEOMETRY" and socket.enabled]
    cone = tree.nodes.new("GeometryNodeMeshCone")
    cone.name = "Cone"
    tree.links.new(tree.nodes["Mine"].outputs[0], inputs[0])
    tree.links.new(cone.outputs[0], inputs[1])
    out = next(node for node in tree.nodes if node.bl_idname == "NodeGroupOutput")
    tree.links.new(menu.outputs[0], out.inputs[0])
    before = state()
    items = [{"name": menu.enum_items[0].name}]
    dropping = {"op": "set_items", "node_id": "Menu", "collection": "enum_items", "items": items}
    report = api.apply_plan(plan(dropping))
    assert report.status == "error" and report.messages[0]["code"] == "approval_required", report.messages
    assert "“Cone”" in report.messages[0]["text"] and state() == before


def test_removing_the_second_group_output_asks() -> None:
    tree = artists()
    tree.nodes.new("NodeGroupOutput").name = "Second"
    ops = [
        {"op": "ensure_single_group_io"},
        {"op": "set_input", "node_id": "Mine", "socket_name": "Scale", "value": [2, 2, 2]},
    ]
    payload = {"v": 1, "target": {"object_name": "Plane", "modifier_name": "Scatter"}, "ops": ops}
    step = {"id": "s", "type": "GN_OPS", "description": "d", "payload": payload}
    report = api.apply_plan({"version": "1.1", "steps": [step], "done": True, "final_message": "m"})
    assert report.status == "error" and report.messages[0]["code"] == "approval_required", report.messages
    assert len([node for node in tree.nodes if node.bl_idname == "NodeGroupOutput"]) == 2


def test_removing_a_socket_that_other_places_use_says_so() -> None:
    tree = artists()
    tree.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat")
    bpy.data.objects["Rock"].modifiers.new("Other", "NODES").node_group = tree
    before = state()
    removing = {"op": "set_group_io", "direction": "input", "name": "Amount", "remove": True}
    report = api.apply_plan(plan(removing))
    assert report.status == "error" and report.messages[0]["code"] == "approval_required", report.messages
    assert "other places" in report.messages[0]["text"] and state() == before


def test_an_edit_under_a_wrong_modifier_name_edits_the_tree_where_it_runs() -> None:
    tree = artists()
    mine = {"op": "set_input_default", "node_id": "Mine", "socket": "Scale", "value": [2, 2, 2]}
    report = api.apply_plan(plan(mine, modifier="GeometryNodes"))
    assert report.status == "done", report.messages
    assert [m.name for m in bpy.data.objects["Plane"].modifiers] == ["Scatter"]
    assert tuple(tree.nodes["Mine"].inputs["Scale"].default_value) == (2, 2, 2)


def test_an_appended_workspace_makes_nothing_of_another_file_ours(tmp_path: Any) -> None:
    run_to_done("scatter 100 cubes")
    assert len(bpy.data.workspaces) > 2
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "ours.blend"), copy=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    for ran in (False, True):
        e2e.build_start({"objects": OBJECTS}, None)
        if ran:
            run_to_done("scatter 5 cubes")
        with bpy.data.libraries.load(str(tmp_path / "ours.blend")) as (there, wanted):
            wanted.workspaces, wanted.objects = there.workspaces[:1], ["Plane"]
        [brought] = wanted.objects
        tree = brought.modifiers["Scatter"].node_group
        assert ownership.MARK in tree and ownership.read_mark(tree) is None
        own = bpy.data.objects["Plane"].modifiers
        assert not ran or ownership.read_mark(own["Scatter"].node_group) is not None
        bpy.ops.wm.read_homefile(use_factory_startup=True)
