# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans whose trees are pages of tree text: what they build, edit and refuse."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from geonode_assistant import api

TOWER = """
def tower(geometry: Geometry, floors: Int = 3, height: Distance = 1.0) -> Geometry:
    "Floors on top of each other"
    limits(floors, min=0, max=100)
    level = cube(size=(1.0, 1.0, height)).mesh
    with repeat(iterations=floors, items={"Geometry": Geometry(), "Height": Float(0.0)}) as (stack_in, stack_out):
        moved = transform_geometry(level, translation=(0.0, 0.0, stack_in.height))
        stack_out.geometry = join_geometry(stack_in.geometry, moved)
        stack_out.height = stack_in.height + height
    label(moved, "One floor")
    frame("Stack", moved)
    return stack_out.geometry

apply("Tower", object="Plane", modifier="Tower", inputs={"floors": 5})
expect("Plane", vertices=40, faces=30)
"""

PLANT = """
def plant(geometry: Geometry, leaves: Int = 4) -> Geometry:
    points = mesh_line(count=leaves, offset=(0.0, 0.0, 0.5))
    twigs = instance_on_points(points, instance=leaf(size=0.2), scale=1.0 + random_value().value)
    return join_geometry(geometry, realize_instances(twigs))

def leaf(size: Distance = 0.1) -> Geometry:
    return grid(size_x=size, size_y=size * 2, vertices_x=2, vertices_y=2).mesh

apply("Plant", object="Plane")
"""


@pytest.fixture(autouse=True)
def plane() -> Any:
    """A plane in an otherwise empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("Plane")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    made = bpy.data.objects.new("Plane", mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def run(text: str, target: str | None = None) -> Any:
    """The report of a plan that is one page."""
    step = {"id": "s1", "type": "NODE_TREE", "description": "A tree", "payload": {"text": text}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan, object=target, approve="all")


def vertices() -> int:
    """How many vertices the evaluated plane has."""
    seen = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return len(seen.data.vertices)


def test_a_page_builds_its_tree() -> None:
    report = run(TOWER)
    assert report.status == "done", report.messages
    assert vertices() == 40
    tree = bpy.data.node_groups["Tower"]
    labels = {node.label for node in tree.nodes}
    assert {"One floor", "Stack"} <= labels
    sockets = [item.name for item in tree.interface.items_tree if item.item_type == "SOCKET" and item.in_out == "INPUT"]
    assert sockets == ["Geometry", "Floors", "Height"]
    count = len(tree.nodes)
    again = run(TOWER)
    assert (again.status, again.diff) == ("done", []), again.messages
    assert len(tree.nodes) == count


def test_groups_of_a_page_are_built_too() -> None:
    report = run(PLANT)
    assert report.status == "done", report.messages
    assert vertices() == 4 + 4 * 4
    assert {"Plant", "Leaf"} <= set(bpy.data.node_groups.keys())


FUR = """
def fur(geometry: Geometry, surface: Object = None, surface_001: Geometry = None, length: Float = 1.0) -> Geometry:
    limits(surface_001, name="Surface", description="What it grows on")
    limits(length, min=0, max=10, hide_value=True)
    object = object_info(object=surface)
    return join_geometry(geometry, object.geometry, surface_001)

def coat(geometry: Geometry, surface: Object = None, surface_001: Int = 3) -> Geometry:
    limits(surface_001, name="Surface")
    ball = ico_sphere(subdivisions=surface_001)
    return group("Fur", geometry=geometry, surface=surface, surface_001=ball)

apply("Coat", object="Plane", inputs={"surface_001": 1})
"""


def test_inputs_that_share_a_name_are_told_apart() -> None:
    for changes in (True, False):
        report = run(FUR, "Plane")
        assert report.status == "done", report.messages
        assert bool(report.diff) is changes, report.diff
        assert vertices() == 4 + 12
    fur, coat = bpy.data.node_groups["Fur"], bpy.data.node_groups["Coat"]
    items = [item for item in fur.interface.items_tree if item.item_type == "SOCKET" and item.in_out == "INPUT"]
    assert [item.name for item in items] == ["Geometry", "Surface", "Surface", "Length"]
    assert [item.description for item in items] == ["", "", "What it grows on", ""]
    assert items[3].hide_value and items[3].max_value == 10
    [node] = [node for node in coat.nodes if node.bl_idname == "GeometryNodeGroup"]
    fed = {link.to_socket.identifier: link.from_node.bl_idname for link in coat.links if link.to_node == node}
    assert fed[items[1].identifier] == "NodeGroupInput" and fed[items[2].identifier] == "GeometryNodeMeshIcoSphere"


def test_an_edit_changes_only_what_it_names() -> None:
    assert run(TOWER).status == "done"
    page = """
with edit("Tower"):
    level.vertices_x = 3
    turn: Angle = 0.0
    moved.rotation = (0.0, 0.0, turn)
    out = insert(link=(stack_out.geometry, group_output.geometry), node=set_shade_smooth())
"""
    report = run(page, "Plane")
    assert report.status == "done", report.messages
    assert vertices() == 5 * 12
    assert len(bpy.data.objects["Plane"].modifiers) == 1
    # A whole function deletes what it lacks.
    report = run("def tower(geometry: Geometry) -> Geometry:\n    level = cube()\n    return level\n", "Plane")
    assert report.status == "done", report.messages
    assert vertices() == 8
    assert len(bpy.data.node_groups["Tower"].nodes) == 2


def test_values_of_modifier_inputs_need_no_tree() -> None:
    assert run(TOWER).status == "done"
    report = run('apply("Tower", object="Plane", modifier="Tower", inputs={"floors": 2})')
    assert report.status == "done", report.messages
    assert vertices() == 16


@pytest.mark.parametrize(
    ("wrong", "place", "code"),
    [
        ("cube(sise=1)", "line 3, column", "unknown_socket"),
        ("cubes()", "line 3, column 11", "unknown_node_type"),
        ('cube(size="wide")', "line 3, column", "wrong_type"),
        ("cube(", "line 3, column 15", "text_syntax"),
    ],
)
def test_findings_name_line_and_column(wrong: str, place: str, code: str) -> None:
    page = f'\ndef a(geometry: Geometry) -> Geometry:\n    box = {wrong}\n    return box\napply("A", object="Plane")\n'
    report = run(page)
    assert report.status == "error"
    assert any(place in found["text"] and found["code"] == code for found in report.messages), report.messages
    assert not bpy.data.node_groups and not bpy.data.objects["Plane"].modifiers


def test_a_page_alone_is_a_plan() -> None:
    report = api.apply_plan(f'```python\n"A tower."\n{TOWER}```', approve="all")
    assert report.status == "done", report.messages
    assert (vertices(), report.final_message) == (40, "A tower.")


def artists_tree(name: str, *kinds: tuple[Any, str]) -> Any:
    """A tree made by hand: these nodes, as type or group and name, in a row between input and output."""
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    last = tree.nodes.new("NodeGroupInput").outputs[0]
    for kind, called in kinds:
        node = tree.nodes.new(kind if isinstance(kind, str) else "GeometryNodeGroup")
        node.name = called
        if not isinstance(kind, str):
            node.node_tree = kind
        tree.links.new(last, node.inputs[0])
        last = node.outputs[0]
    tree.links.new(last, tree.nodes.new("NodeGroupOutput").inputs[0])
    return tree


def asked(text: str) -> tuple[Any, list[str]]:
    """The report of a page whose questions are all rejected, and their reasons."""
    reasons: list[str] = []

    def reject(request: Any) -> str:
        reasons.append(request["reason"])
        return "rejected"

    step = {"id": "s1", "type": "NODE_TREE", "description": "A tree", "payload": {"text": text}}
    plan = {"version": "1.2", "steps": [step], "done": True, "final_message": "Done."}
    return api.apply_plan(plan, object="Plane", approve=reject), reasons


def test_describing_an_artists_tree_anew_asks() -> None:
    tree = artists_tree("Mine", ("GeometryNodeTransform", "Turn"), ("GeometryNodeSetPosition", "Pos"))
    tree.nodes["Turn"].inputs["Scale"].default_value = (3, 3, 3)
    tree.nodes.new("GeometryNodeMeshCube").name = "Parked"
    bpy.data.objects["Plane"].modifiers.new("Mine", "NODES").node_group = tree
    page = (
        "def mine(geometry: Geometry) -> Geometry:\n    turn = transform_geometry(geometry)\n"
        "    pos = set_position(turn)\n    return pos\n"
        'apply("Mine", object="Plane", modifier="Mine")\n'
    )
    report, [reason] = asked(page)
    assert report.status != "done" and "anew" in reason and "Parked" in reason, reason
    assert {node.name for node in tree.nodes} >= {"Turn", "Pos", "Parked"}
    assert tuple(tree.nodes["Turn"].inputs["Scale"].default_value) == (3, 3, 3)
    edit = 'with edit("Mine"):\n    turn.scale = (2.0, 2.0, 2.0)\n'
    report, reasons = asked(edit)
    assert report.status == "done" and reasons == [], reasons
    assert tuple(tree.nodes["Turn"].inputs["Scale"].default_value) == (2, 2, 2) and "Parked" in tree.nodes


@pytest.mark.parametrize("page", ['    part = gather("Part", a)\n', "    cleanup()\n", '    frame("Moved", a)\n'])
def test_an_inner_group_is_edited_and_not_the_outer_one(page: str) -> None:
    inner = artists_tree("Inner", ("GeometryNodeTransform", "A"), ("GeometryNodeSetPosition", "B"))
    inner.nodes.new("GeometryNodeMeshCube").name = "Spare"
    outer = artists_tree("Outer", (inner, "Uses"), ("GeometryNodeTransform", "A"))
    outer.nodes.new("GeometryNodeMeshCube").name = "Spare"
    bpy.data.objects["Plane"].modifiers.new("Outer", "NODES").node_group = outer
    before = [node.name for node in outer.nodes]
    report = run('with edit("Inner"):\n' + page, "Plane")
    assert report.status == "done" and report.diff, report.messages
    assert [node.name for node in outer.nodes] == before
    if "gather" in page:
        assert "A" not in inner.nodes and "A" in bpy.data.node_groups["Part"].nodes
    elif "cleanup" in page:
        assert "Spare" not in inner.nodes and "A" in inner.nodes
    else:
        assert inner.nodes["A"].parent is not None


def test_a_group_with_inner_ones_takes_what_its_function_takes() -> None:
    page = (
        "def lift(curve: Geometry) -> Geometry:\n"
        "    up = transform_geometry(curve, translation=(0.0, 0.0, 1.0))\n"
        "    return join_geometry(up, post())\n\n"
        "def post(height: Distance = 1.0) -> Geometry:\n    return grid(size_x=height).mesh\n\n"
        'apply("Lift", object="Plane")\n'
    )
    for changes in (True, False):
        report = run(page, "Plane")
        assert report.status == "done" and bool(report.diff) is changes, (report.messages, report.diff)
        assert vertices() == 4 + 9
    names = {
        name: [item.name for item in bpy.data.node_groups[name].interface.items_tree if item.in_out == "INPUT"]
        for name in ("Lift", "Post")
    }
    assert names == {"Lift": ["Curve"], "Post": ["Height"]}


GILDED = """
def gilded(size: Distance = 1.0, turn: Angle = pi / 2) -> Geometry:
    gold = data.material("Gold", color=(1.0, 0.7, 0.2), roughness=0.3, metallic=1.0)
    where = position()
    far = length(where) > 0.1 and -where.z < twice(x=size)
    box = set_position(cube(size=size).mesh, selection=far, offset=where * size + (0, 0, size))
    rough = noise_texture(vector=where, detail=20, roughness=-0.5)
    named = store_named_attribute(box, name="noise", value=rough)
    stored = store_named_attribute(named, name="rough", value=(where * 2.0).x)
    return set_material(stored, material=gold)

def twice(x: Float = 1.0) -> Float:
    return x * 2.0

apply("Gilded", object="Plane")
expect("Plane", vertices=8, faces=6)
"""


def test_a_material_is_made_and_used() -> None:
    report = run(GILDED)
    assert report.status == "done", report.messages
    assert "unlinked_geometry" not in [message["code"] for message in report.messages]
    gold = bpy.data.materials["Gold"]
    seen = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert [material.name for material in seen.data.materials if material] == ["Gold"]
    corners = sorted(round(vertex.co.z, 3) for vertex in seen.data.vertices)
    assert corners == [0.0] * 4 + [2.0] * 4
    noise = next(n for n in bpy.data.node_groups["Gilded"].nodes if n.bl_idname == "ShaderNodeTexNoise")
    assert noise.inputs["Detail"].default_value == 20.0 and noise.inputs["Roughness"].default_value == -0.5
    assert (run(GILDED).diff, len(bpy.data.materials)) == ([], 1)
    # Other values of that name make another material, and the artist's stays as it is.
    other = run(GILDED.replace("roughness=0.3", "roughness=0.5"))
    assert other.status == "done" and "name_taken" in [message["code"] for message in other.messages]
    assert bpy.data.materials["Gold"] == gold and len(bpy.data.materials) == 2


def test_a_failed_run_leaves_no_material() -> None:
    report = run(GILDED.replace("vertices=8", "vertices=9000"))
    assert report.status != "done" and not bpy.data.materials and not bpy.data.node_groups


ORDERED = """
def ordered(size: Float = 1.0, geometry: Geometry = None, rough: Float = 0.5, count: Int = 2) -> Geometry:
    "Boxes in a row"
    settings(is_tool=True)
    panel("Shape", size, panel("Look", rough, description="How it looks"), default_closed=True)
    panel("Number", count)
    line = mesh_line(count=count, offset=(0.0, 0.0, rough))
    box = cube(size=(size, size, size))
    boxes = instance_on_points(line, instance=box, scale=muted(size, (1.0, 1.0, 1.0)))
    inner = frame("Inner", box, line)
    outer = frame("Outer", inner, boxes)
    return join_geometry(geometry, realize_instances(boxes))

apply("Ordered", object="Plane")
"""


def interface_of(tree: Any) -> list[tuple[str, str]]:
    """Names of the interface's items with the panel around each."""
    return [(item.name, item.parent.name) for item in tree.interface.items_tree]


def test_order_panels_frames_settings_and_muted_links_are_built_and_changed() -> None:
    report = run(ORDERED)
    assert report.status == "done", report.messages
    tree = bpy.data.node_groups["Ordered"]
    nested = bpy.app.version >= (4, 5)
    assert interface_of(tree) == [
        ("Geometry", ""),
        ("Geometry", ""),
        ("Shape", ""),
        ("Size", "Shape"),
        ("Look", "Shape" if nested else ""),
        ("Rough", "Look"),
        ("Number", ""),
        ("Count", "Number"),
    ]
    assert tree.interface.items_tree["Shape"].default_closed
    assert tree.interface.items_tree["Look"].description == "How it looks"
    assert (tree.description, tree.is_tool) == ("Boxes in a row", True)
    frames = {node.label: node for node in tree.nodes if node.bl_idname == "NodeFrame"}
    assert frames["Inner"].parent == frames["Outer"]
    inside = {node.bl_idname for node in tree.nodes if node.parent == frames["Inner"]}
    assert inside == {"GeometryNodeMeshCube", "GeometryNodeMeshLine"}
    assert [link.to_socket.name for link in tree.links if link.is_muted] == ["Scale"]
    assert vertices() == 4 + 16
    again = run(ORDERED)
    assert (again.status, again.diff) == ("done", []), (again.messages, again.diff)

    edit = """
with edit("Ordered"):
    "Boxes one above the other"
    panel(None, rough)
    unframe(line)
    label(inner, "Box")
    boxes.scale = size
    settings(is_tool=False)
"""
    report = run(edit, "Plane")
    assert report.status == "done", report.messages
    assert dict(interface_of(tree))["Rough"] == ""
    assert (tree.description, tree.is_tool) == ("Boxes one above the other", False)
    assert {node.label for node in tree.nodes if node.parent == frames["Outer"]} >= {"Box"}
    assert next(node for node in tree.nodes if node.bl_idname == "GeometryNodeMeshLine").parent is None
    assert not any(link.is_muted for link in tree.links)
    again = run(edit, "Plane")
    assert (again.status, again.diff) == ("done", []), (again.messages, again.diff)


def test_a_failed_run_restores_order_frames_and_settings() -> None:
    assert run(ORDERED).status == "done"
    tree = bpy.data.node_groups["Ordered"]
    before = (interface_of(tree), tree.description, tree.is_tool, [node.parent is None for node in tree.nodes])
    edit = """
with edit("Ordered"):
    "Anything"
    settings(is_tool=False)
    panel(None, rough, size)
    unframe(line, box)

expect("Plane", faces=99)
"""
    report = run(edit, "Plane")
    assert report.status != "done" and {m["origin"] for m in report.messages} >= {"gates"}, report.messages
    tree = bpy.data.node_groups["Ordered"]
    assert before == (interface_of(tree), tree.description, tree.is_tool, [node.parent is None for node in tree.nodes])


def test_parts_of_colours_and_vectors_are_read_and_set() -> None:
    report = run("""
def parts(tint: Color = (0.25, 0.5, 0.75, 1.0)) -> Geometry:
    box = cube(size=(1.0, tint.b, tint.r))
    return box.mesh

apply("Parts", object="Plane")
""")
    assert report.status == "done", report.messages
    seen = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert [round(float(side), 3) for side in seen.dimensions] == [1.0, 0.75, 0.25]
    edit = 'with edit("Parts"):\n    moved = set_position(box.mesh, offset=(0.0, 0.0, 0.0))\n    return moved'
    assert run(edit, "Plane").status == "done"
    report = run('with edit("Parts"):\n    moved.offset.z = 2.0\n', "Plane")
    assert report.status == "done", report.messages
    moved = next(n for n in bpy.data.node_groups["Parts"].nodes if n.bl_idname == "GeometryNodeSetPosition")
    assert list(moved.inputs["Offset"].default_value) == [0.0, 0.0, 2.0]
    for wrong, word in [
        ("moved.offset.r = 1.0", "x, y and z"),
        ("moved.offset.z = True", "number"),
        ("box.size.x = 1.0", "linked"),
    ]:
        report = run(f'with edit("Parts"):\n    {wrong}\n', "Plane")
        assert report.status == "error" and word in str(report.messages), (wrong, report.messages)


def test_every_flag_of_a_group_is_set() -> None:
    group = bpy.data.node_groups.new("Any", "GeometryNodeTree")
    known = [p.identifier for p in group.bl_rna.properties if p.type == "BOOLEAN" and not p.is_readonly]
    flags = [name for name in known if name.startswith(("is_mode", "is_type", "is_tool", "is_modifier", "use_wait"))]
    assert len(flags) > 7
    words = ", ".join(f"{name}=True" for name in flags)
    report = run(
        f'def all() -> Geometry:\n    settings({words})\n    return cube().mesh\n\napply("All", object="Plane")'
    )
    assert report.status == "done" and "left_unchanged" not in str(report.messages), report.messages
    made = bpy.data.node_groups["All"]
    assert [name for name in flags if not getattr(made, name)] == []


RAMPS = """
def shades(geometry: Geometry) -> Geometry:
    ramp = color_ramp(position().x, props={"color_ramp.interpolation": "CONSTANT", "color_ramp.elements": [
        {"position": 0.5, "color": (0.0, 0.0, 1.0)}, {"position": 0.0, "color": (1.0, 0.0, 0.0, 1.0)}]})
    fall = float_curve(value=position().y, props={
        "mapping.curves.0.points": [{"location": (0.0, 1.0)}, {"location": (1.0, 0.25)}]})
    shaded = store_named_attribute(geometry, data_type="FLOAT_COLOR", domain="POINT", name="shade", value=ramp.color)
    return store_named_attribute(shaded, data_type="FLOAT", domain="POINT", name="fall", value=fall)

apply("Shades", object="Plane", modifier="Shades")
"""


def test_stops_of_ramps_and_points_of_curves_are_built_and_changed() -> None:
    report = run(RAMPS)
    assert report.status == "done", report.messages

    def seen(name: str, field: str) -> list[Any]:
        evaluated = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
        found = [getattr(entry, field) for entry in evaluated.data.attributes[name].data]
        return [tuple(round(part, 3) for part in one) if field == "color" else round(one, 3) for one in found]

    red, blue, green = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0), (0.0, 1.0, 0.0, 1.0)
    assert seen("shade", "color") == [red, blue, blue, red]
    assert seen("fall", "value") == [1.0, 1.0, 0.25, 0.25]
    again = run(RAMPS)
    assert (again.status, again.diff) == ("done", []), again.messages
    stops = '[{"position": 0.0, "color": (1.0, 0.0, 0.0, 1.0)}, {"position": 0.75, "color": (0.0, 1.0, 0.0, 1.0)}]'
    on = 'apply("Shades", object="Plane")\n'
    changed = run(f'with edit("Shades"):\n    ramp.props = {{"color_ramp.elements": {stops}}}\n{on}')
    assert changed.status == "done", changed.messages
    assert seen("shade", "color") == [red, green, green, red]
    bpy.data.node_groups["Shades"].nodes["ramp"].width = 300.0
    replaced = run(f'with edit("Shades"):\n    ramp = rgb_curves(color=position())\n{on}')
    assert replaced.status == "done", replaced.messages
    assert bpy.data.node_groups["Shades"].nodes["ramp"].width == 300.0


def test_an_edit_orders_inputs() -> None:
    assert run(TOWER).status == "done"
    inputs = [item for item in bpy.data.node_groups["Tower"].interface.items_tree if item.in_out == "INPUT"]
    assert [item.name for item in inputs] == ["Geometry", "Floors", "Height"]
    assert run('with edit("Tower"):\n    order(height, floors)\n', "Plane").status == "done"
    inputs = [item for item in bpy.data.node_groups["Tower"].interface.items_tree if item.in_out == "INPUT"]
    assert [item.name for item in inputs] == ["Geometry", "Height", "Floors"]
    assert vertices() == 40


GARDEN = """
def garden(geometry: Geometry, height: Distance = 0.3, density: Float = 5.0) -> Geometry:
    limits(height, min=0.0, max=4.0)
    lifted = set_position(geometry, offset=combine_xyz(z=height))
    rock = ico_sphere(radius=0.25)
    rocks = instance_on_points(mesh_to_points(lifted), instance=rock.mesh, scale=jitter(top=1.0))
    return join_geometry(lifted, realize_instances(rocks))

def jitter(top: Float = 1.0) -> {"Scale": Float}:
    return {"Scale": random_value(max=top).value}

apply("Garden", object="Plane")
"""


def test_groups_are_gathered_and_edited_in_one_step() -> None:
    """What a page makes of others and changes inside, it uses as well; inputs keep names, ranges and values."""
    run(GARDEN)
    before = vertices()
    page = """
with edit("Garden"):
    rock_size: Distance = 0.4
    boulder = gather("Boulder", rock)
    boulder.size = rock_size
    ground = gather("Ground", lifted, lifted_offset)
    jitter_node = jitter(seed=3)
    rocks.scale = jitter_node

with edit("Boulder"):
    size: Distance = 0.25
    rock.radius = size

with edit("Jitter"):
    seed: Int = 0
"""
    report = run(page, "Plane")
    assert report.status == "done", report.messages
    assert vertices() == before
    ground = bpy.data.node_groups["Ground"].interface
    (height,) = (i for i in ground.items_tree if i.item_type == "SOCKET" and i.name == "Height")
    assert (round(height.default_value, 5), height.max_value, height.subtype) == (0.3, 4.0, "DISTANCE")
    garden = bpy.data.node_groups["Garden"]
    assert garden.nodes["boulder"].inputs["Size"].links[0].from_socket.name == "Rock Size"
    again = run(page, "Plane")
    assert (again.status, again.diff) == ("done", []), (again.diff, again.messages)


def test_a_panel_gets_a_toggle() -> None:
    """The switch in the header of a panel is the first input in it."""
    run(GARDEN)
    lines = 'rocks_on: Bool = True\n    panel("Rocks", density, toggle=rocks_on)\n'
    report = run(f'with edit("Garden"):\n    {lines}', "Plane")
    assert report.status == "done", report.messages
    tree = bpy.data.node_groups["Garden"]

    def inside() -> list[str]:
        return [i.name for i in tree.interface.items_tree if i.item_type == "SOCKET" and i.parent.name == "Rocks"]

    if bpy.app.version < (4, 5):
        assert inside() == ["Rocks On", "Density"]
        return
    # Blender calls it as its panel.
    assert inside() == ["Rocks", "Density"]
    sockets = [item for item in tree.interface.items_tree if item.item_type == "SOCKET"]
    assert [item.name for item in sockets if getattr(item, "is_panel_toggle", False)] == ["Rocks"]
    again = run(f'with edit("Garden"):\n    {lines}', "Plane")
    assert (again.status, again.diff) == ("done", []), again.messages
    report = run('with edit("Garden"):\n    panel("Rocks", toggle=None)\n', "Plane")
    assert report.status == "done", report.messages
    assert not any(getattr(item, "is_panel_toggle", False) for item in tree.interface.items_tree)


def test_an_edit_that_changes_nothing_is_said() -> None:
    """The artist reads that nothing was changed, not only what the model says."""
    run(GARDEN)
    report = run('with edit("Garden"):\n    rock.radius = 0.25\n', "Plane")
    assert report.status == "done", report.messages
    assert any("is as the edit has it already" in message["text"] for message in report.messages), report.messages


ROW = """
def row() -> Geometry:
    big = mesh_circle(vertices=3, radius=3.0)
    middle = mesh_circle(vertices=3, radius=2.0)
    small = mesh_circle(vertices=3, radius=1.0)
    return join_geometry(big, middle, small)

apply("Row", object="Plane")
"""


def radii() -> list[int]:
    """How far each third vertex of the evaluated plane is from its origin."""
    seen = bpy.data.objects["Plane"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [round(seen.data.vertices[index].co.length) for index in range(0, len(seen.data.vertices), 3)]


def test_links_into_one_input_are_evaluated_as_the_page_names_them() -> None:
    assert run(ROW).status == "done"
    assert radii() == [3, 2, 1]
    # Blender lists them in that order, too.
    join = next(node for node in bpy.data.node_groups["Row"].nodes if node.type == "JOIN_GEOMETRY")
    assert [link.from_node.inputs["Radius"].default_value for link in join.inputs[0].links] == [3, 2, 1]
    edit = 'with edit("Row"):\n    {} = [{}]\n\nexpect("Plane", vertices={})\n'
    words = "return_geometry.geometry"
    report = run(edit.format(words, "small, middle, big", 9), "Plane")
    assert report.status == "done", report.messages
    assert radii() == [1, 2, 3]
    assert run(edit.format(words, "small, big", 6), "Plane").status == "done"
    assert radii() == [1, 3]
    assert run(edit.format(words, "small, middle, big", 9), "Plane").status == "done"
    assert radii() == [1, 2, 3]


def panels() -> list[str]:
    tree = bpy.data.node_groups["Row"]
    return [item.name for item in tree.interface.items_tree if item.item_type == "PANEL"]


def test_an_edit_orders_panels() -> None:
    page = ROW.replace("row()", "row(a: Float = 1.0, b: Float = 2.0, c: Float = 3.0)").replace(
        "    big =", '    panel("A", a)\n    panel("B", b)\n    panel("C", c)\n    big ='
    )
    assert run(page.replace("radius=3.0", "radius=a").replace("radius=2.0", "radius=b * c")).status == "done"
    assert panels() == ["A", "B", "C"]
    report = run('with edit("Row"):\n    order("C", "A")\n', "Plane")
    assert report.status == "done" and panels() == ["C", "A", "B"], report.messages
    assert vertices() == 9


def test_panels_that_a_page_leaves_out_go_and_the_others_stay() -> None:
    head = "row(a: Float = 1.0, b: Float = 2.0, c: Float = 3.0)"
    lines = '    panel("A", a)\n    panel("B", b)\n    panel("C", c)\n'
    page = (
        ROW.replace("row()", head).replace("    big =", lines + "    big =").replace("radius=3.0", "radius=a + b + c")
    )
    assert run(page).status == "done" and panels() == ["A", "B", "C"]
    for left_out, wanted in ((["A"], ["B", "C"]), (["B", "A"], ["C"]), ([], ["A", "B", "C"]), (["C"], ["A", "B"])):
        shorter = page
        for name in left_out:
            shorter = shorter.replace(f'    panel("{name}", {name.lower()})\n', "")
        report = run(shorter)
        assert report.status == "done" and panels() == wanted, (left_out, panels(), report.messages)
        items = [i for i in bpy.data.node_groups["Row"].interface.items_tree if i.item_type == "SOCKET"]
        held = {item.name: item.parent.name for item in items if item.in_out == "INPUT"}
        assert [held[name] for name in "ABC"] == [n if n in wanted else "" for n in "ABC"], held
