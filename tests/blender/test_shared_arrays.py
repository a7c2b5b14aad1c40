# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that a script keeps while their array becomes another one: copies and evaluated data share arrays, and
merely looking at one ends this. What was kept follows by its position, whoever frees the former array.
"""

from __future__ import annotations

import bpy
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import reached
from test_freed import KEPT

BLOCKS = """
mesh.uv_layers.new(name="uv")
mesh.color_attributes.new("colour", "FLOAT_COLOR", "POINT")
mesh.attributes.new("float", "FLOAT", "POINT")
mesh.attributes.new("whole", "INT", "FACE")
mesh.attributes.new("truth", "BOOLEAN", "EDGE")
group = obj.vertex_groups.new(name="g")
group.add([0, 1, 2], 0.5, "REPLACE")
hair = bpy.data.hair_curves.new("h")
hair.add_curves([3, 4, 5])
cloud = bpy.data.pointclouds.new("p")
if hasattr(cloud, "resize"): cloud.resize(20)
blocks = {"mesh": (mesh, bpy.data.meshes), "hair": (hair, bpy.data.hair_curves), "cloud": (cloud, bpy.data.pointclouds)}
if hasattr(bpy.data, "grease_pencils_v3") or bpy.app.version >= (5, 0):
    pencils = getattr(bpy.data, "grease_pencils_v3", bpy.data.grease_pencils)
    pencil = pencils.new("g")
    drawing = pencil.layers.new("l").frames.new(1).drawing
    drawing.add_strokes([3, 4])
    blocks["pencil"] = pencil, pencils
ways = {
    "vertices": ("mesh", lambda m: m.vertices, "co", (1, 2, 3)),
    "edges": ("mesh", lambda m: m.edges, "vertices", (0, 2)),
    "polygons": ("mesh", lambda m: m.polygons, "material_index", 0),
    "loops": ("mesh", lambda m: m.loops, None, None),
    "vertex normals": ("mesh", lambda m: m.vertex_normals, None, None),
    "groups": ("mesh", lambda m: m.vertices[1].groups, "weight", 0.25),
    "uv": ("mesh", lambda m: m.uv_layers["uv"].data, "uv", (0.5, 0.25)),
    "colour": ("mesh", lambda m: m.color_attributes["colour"].data, "color", (1, 0, 0.5, 1)),
    "float": ("mesh", lambda m: m.attributes["float"].data, "value", 4.0),
    "whole": ("mesh", lambda m: m.attributes["whole"].data, "value", 4),
    "truth": ("mesh", lambda m: m.attributes["truth"].data, "value", True),
    "hair": ("hair", lambda h: h.points, "position", (1, 2, 3)),
    "hair's attribute": ("hair", lambda h: h.attributes["position"].data, "vector", (1, 2, 4)),
}
if hasattr(cloud, "resize"): ways["cloud"] = "cloud", lambda c: c.points, "co", (1, 2, 3)
if "pencil" in blocks:
    ways["pencil"] = "pencil", lambda p: p.layers[0].frames[0].drawing.attributes["position"].data, "vector", (1, 2, 3)
def value_of(one, name):
    found = getattr(one, name)
    return tuple(found) if hasattr(found, "__len__") else found
def other(): return [bpy.data.meshes.new("fill%d" % n) for n in range(3)]
def check(way, kept, elements, name, value):
    # Through what was kept, the data-block itself is read and written.
    last = len(elements()) - 1
    if name:
        setattr(kept[last], name, value)
        assert value_of(elements()[last], name) == value_of(kept[last], name) == value, way
    else:
        assert value_of(kept[last], list(READ[way])[0]) == value_of(elements()[last], list(READ[way])[0]), way
READ = {"loops": ["vertex_index"], "vertex normals": ["vector"]}
"""
FREED = {
    "a copy": """
for way, (kind, elements, name, value) in ways.items():
    block, of = blocks[kind]
    kept = list(elements(block))
    copy = block.copy()
    elements(block)[0]
    of.remove(copy)
    other()
    check(way, kept, lambda: elements(block), name, value)
""",
    "an evaluation": """
obj.modifiers.new("w", "WAVE")
for way, (kind, elements, name, value) in ways.items():
    if kind != "mesh": continue
    kept = list(elements(mesh))
    for frame in (3, 4):
        mesh.update_tag()
        bpy.context.scene.frame_set(frame)
        elements(mesh)[0]
    check(way, kept, lambda: elements(mesh), name, value)
""",
    "a change of the copy": """
for way, (kind, elements, name, value) in ways.items():
    if kind != "mesh": continue
    kept = list(elements(mesh))
    copy = mesh.copy()
    elements(mesh)[0]
    copy.clear_geometry()
    other()
    check(way, kept, lambda: elements(mesh), name, value)
""",
    "an operator": """
kept, vector = list(mesh.vertices), mesh.vertices[1].co
bpy.context.view_layer.objects.active = obj
for _ in range(2):
    mesh.update_tag()
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.update()
    mesh.vertices[0]
kept[1].co = (7, 8, 9)
assert tuple(vector) == tuple(mesh.vertices[1].co) == (7, 8, 9)
""",
    "attributes that are made": """
made = [mesh.attributes.new("f%d" % n, "FLOAT", where) for n in range(4) for where in ("POINT", "EDGE", "FACE")]
data, uv = [one.data for one in made], mesh.uv_layers["uv"]
for elements, names in ((mesh.vertices, ("hide", "select")), (mesh.edges, ("hide", "use_seam", "use_edge_sharp")),
                        (mesh.polygons, ("hide", "use_smooth", "material_index"))):
    for name in names:
        for one in elements[:3]: setattr(one, name, not getattr(one, name))
mesh.polygons.foreach_set("select", [True] * len(mesh.polygons))
for one in made: assert mesh.attributes[one.name] == one
for name in ("pin", "vertex_selection"):
    if hasattr(uv, name): len(getattr(uv, name))
data[0][2].value = 5.0
assert mesh.attributes[made[0].name].data[2].value == 5.0 and uv == mesh.uv_layers["uv"]
for n in range(6): hair.attributes.new("f%d" % n, "FLOAT", "POINT")
kept = hair.attributes["f0"].data
hair.points[0].radius = 2.0
kept[1].value = 3.0
assert hair.attributes["f0"].data[1].value == 3.0
""",
}


@pytest.mark.parametrize("freed", FREED)
def test_elements_follow_their_array(freed: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scripting.execute(KEPT + BLOCKS + FREED[freed], removable=None)


def test_all_elements_of_such_arrays_are_known() -> None:
    """What data-blocks with shared arrays lead to is known to be such an element, a layer, or neither."""
    roots = ["Mesh", "Curves", "PointCloud", "GreasePencil", "GreasePencilv3"]
    waiting, seen = [*roots, *(name for name in dir(bpy.types) if name.endswith("Attribute"))], set()
    neither = {
        "GreasePencilFrame", "GreasePencilLayer", "GreasePencilLayerGroup", "GreasePencilLayerMask",
        "GreasePencilTreeNode",
        "AnimData", "Attribute", "StringAttribute", "Material", "GPencilLayer", "GPencilFrame", "GPencilStroke",
        "GPencilStrokePoint", "GPencilTriangle", "GpencilVertexGroupElement", "GPencilLayerMask",
        "NodeGeometryCaptureAttributeItem", "NodeLink", "NodePanelState", "NodeSocket",
    }  # fmt: skip
    unknown = set()
    while waiting:
        kind = getattr(bpy.types, waiting.pop(), None)
        for prop in kind.bl_rna.properties if kind is not None else ():
            name = prop.fixed_type.identifier if prop.type == "COLLECTION" else ""
            if name and not issubclass(getattr(bpy.types, name), bpy.types.ID) and name not in seen:
                seen.add(name)
                waiting.append(name)
                shared = name in reached.shared_types().values()
                if not (shared or reached.is_layer(name) or name in neither):
                    unknown.add(name)
    assert len(seen) > 15 and not unknown
