# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers other than Geometry Nodes behind a tree that passes its geometry on: what they make and take, and what the
core expects of it. Without arguments it measures; with the files of what it printed it compares.
"""

import json
import os
import resource
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy
import geonode_core
from comparing import CATALOGUES
from geonode_assistant.host import context
from making import OBJECT, Tree

ROUNDS = 3
LONGEST_S = 30
"""Processor time of one measurement; those that take longer are left out."""


def grid(side):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side, y_subdivisions=side, size=2.0)


def ball(levels):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=levels)


def cubes(count):
    """Many cubes in one mesh, whose edges are all sharp."""
    side = round(count ** (1 / 3))
    places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new("Cubes")
    mesh.from_pydata(
        [tuple(2 * a + b for a, b in zip(place, corner, strict=True)) for place in places for corner in corners],
        [],
        [tuple(8 * at + corner for corner in face) for at in range(len(places)) for face in faces],
    )
    mesh.validate()
    bpy.context.collection.objects.link(obj := bpy.data.objects.new("Cubes", mesh))
    bpy.context.view_layer.objects.active = obj


SMALL = {"grid": lambda: grid(70), "ball": lambda: ball(5), "cubes": lambda: cubes(1000)}
LARGE = {"grid": lambda: grid(300), "ball": lambda: ball(7), "cubes": lambda: cubes(8000)}
TINY = {"ball": lambda: ball(2), "grid": lambda: grid(20)}


def other(levels):
    """A ball beside the measured object."""
    if "Other" not in bpy.data.objects:
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=levels, location=(0.4, 0.1, 0.2))
        bpy.context.object.name = "Other"
    return bpy.data.objects["Other"]


def curve():
    if "Curve" not in bpy.data.objects:
        bpy.ops.curve.primitive_bezier_circle_add(radius=3)
        bpy.context.object.name = "Curve"
    return bpy.data.objects["Curve"]


def lattice():
    if "Lattice" not in bpy.data.objects:
        bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice"))
        bpy.context.collection.objects.link(bpy.data.objects["Lattice"])
    return bpy.data.objects["Lattice"]


def texture():
    return bpy.data.textures.get("Clouds") or bpy.data.textures.new("Clouds", "CLOUDS")


BOTH = {f"small {k}": v for k, v in SMALL.items()} | {f"large {k}": v for k, v in LARGE.items()}
FEW = {f"tiny {k}": v for k, v in TINY.items()} | {f"small {k}": v for k, v in SMALL.items()}
STACKS = [
    ("ARRAY", {"count": 10}, BOTH),
    ("ARRAY", {"count": 10, "use_merge_vertices": True}, BOTH),
    ("MIRROR", {"use_axis": (True, True, False)}, BOTH),
    ("SOLIDIFY", {}, BOTH),
    ("SOLIDIFY", {"solidify_mode": "NON_MANIFOLD"}, BOTH),
    ("EDGE_SPLIT", {}, BOTH),
    ("TRIANGULATE", {}, BOTH),
    ("WIREFRAME", {}, BOTH),
    ("SCREW", {"steps": 16}, FEW),
    ("SCREW", {"steps": 16, "iterations": 3, "screw_offset": 1.0}, FEW),
    ("SKIN", {}, {"tiny ball": lambda: ball(2), "tiny grid": lambda: grid(10)}),
    ("BEVEL", {"segments": 1, "limit_method": "NONE"}, FEW),
    ("BEVEL", {"segments": 4, "limit_method": "NONE"}, FEW),
    ("BEVEL", {"segments": 1}, BOTH),
    ("BEVEL", {"segments": 4}, BOTH),
    ("DECIMATE", {"ratio": 0.5}, BOTH),
    ("DECIMATE", {"ratio": 0.05}, BOTH),
    ("DECIMATE", {"decimate_type": "UNSUBDIV", "iterations": 4}, BOTH),
    ("DECIMATE", {"decimate_type": "DISSOLVE"}, BOTH),
    ("REMESH", {"mode": "VOXEL", "voxel_size": 0.02}, FEW),
    ("REMESH", {"mode": "VOXEL", "voxel_size": 0.05}, BOTH),
    ("REMESH", {"mode": "BLOCKS", "octree_depth": 5}, FEW),
    ("REMESH", {"mode": "SMOOTH", "octree_depth": 7}, FEW),
    ("REMESH", {"mode": "SHARP", "octree_depth": 6}, FEW),
    ("SUBSURF", {"levels": 2}, BOTH),
    ("SUBSURF", {"levels": 2, "subdivision_type": "SIMPLE"}, BOTH),
    ("BOOLEAN", {"object": lambda: other(5), "solver": "EXACT"}, FEW),
    ("BOOLEAN", {"object": lambda: other(5), "solver": "FLOAT"}, FEW),
    ("BOOLEAN", {"object": lambda: other(5), "solver": "FAST"}, FEW),
    ("BOOLEAN", {"object": lambda: other(5), "solver": "MANIFOLD"}, FEW),
    ("WELD", {"merge_threshold": 0.001}, BOTH),
    ("WELD", {"merge_threshold": 0.2}, BOTH),
    ("MASK", {}, BOTH),
    ("BUILD", {}, BOTH),
    ("DISPLACE", {}, BOTH),
    ("DISPLACE", {"texture": texture}, BOTH),
    ("CAST", {}, BOTH),
    ("SMOOTH", {"iterations": 20}, BOTH),
    ("LAPLACIANSMOOTH", {"iterations": 4}, BOTH),
    ("CORRECTIVE_SMOOTH", {"iterations": 20}, BOTH),
    ("SHRINKWRAP", {"target": lambda: other(5)}, BOTH),
    ("SHRINKWRAP", {"target": lambda: other(5), "wrap_method": "PROJECT", "use_negative_direction": True}, BOTH),
    ("SHRINKWRAP", {"target": lambda: other(5), "wrap_method": "NEAREST_VERTEX"}, BOTH),
    ("SIMPLE_DEFORM", {"angle": 1.0}, BOTH),
    ("WAVE", {}, BOTH),
    ("LATTICE", {"object": lattice}, BOTH),
    ("CURVE", {"object": curve}, BOTH),
    ("WEIGHTED_NORMAL", {}, BOTH),
    ("NORMAL_EDIT", {}, BOTH),
    ("UV_PROJECT", {}, BOTH),
    ("OCEAN", {"viewport_resolution": 8}, {"tiny ball": TINY["ball"]}),
    ("OCEAN", {"viewport_resolution": 16}, {"tiny ball": TINY["ball"]}),
    ("OCEAN", {"viewport_resolution": 8, "repeat_x": 3, "repeat_y": 2}, {"tiny ball": TINY["ball"]}),
    ("OCEAN", {"viewport_resolution": 8, "geometry_mode": "DISPLACE"}, BOTH),
]


def passed():
    """A tree that passes its geometry on."""
    tree = Tree()
    tree.end(tree.given)
    return tree.tree


def evaluated(thing):
    """(seconds, [vertices, edges, faces]) of an evaluation."""
    best = 1e9
    for _ in range(ROUNDS):
        begun = time.process_time()
        thing.update_tag()
        bpy.context.view_layer.update()
        best = min(best, time.process_time() - begun)
        if best > 1.0:
            break
    made = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return best, [len(made.vertices), len(made.edges), len(made.polygons)]


def measured(kind, settings, base):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    base()
    thing = bpy.context.view_layer.objects.active
    thing.name = OBJECT
    thing.modifiers.new("Tree", "NODES").node_group = passed()
    values = {name: value() if callable(value) else value for name, value in settings.items()}
    bpy.context.view_layer.update()
    alone, before = evaluated(thing)
    modifier = thing.modifiers.new("Other", kind)
    modifier.show_viewport = False
    for name, value in values.items():
        setattr(modifier, name, value)
    modifier.show_viewport = True
    found = context.inspect([OBJECT], [])
    seconds, after = evaluated(thing)
    return max(seconds - alone, 0.0), before, after, found


def recorded():
    print("blender", bpy.app.version_string.split()[0], flush=True)
    for kind, settings, bases in STACKS:
        words = " ".join(str(value) for value in settings.values() if not callable(value))
        for base, make in bases.items():
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                name = f"{kind} {words} {base}"
                resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
                try:
                    print("stack", json.dumps([name, *measured(kind, settings, make)]), flush=True)
                except Exception as error:
                    print("skipped", name, repr(error)[:200], flush=True)
                finally:
                    os._exit(0)
            os.waitpid(child, 0)


def page(files):
    """A table of vertices and seconds, from the lines of earlier measurements."""
    for file in files:
        with open(file) as opened:
            lines = opened.readlines()
        version = next(line.split()[1] for line in lines if line.startswith("blender "))
        nodes = str(CATALOGUES / f"{version.rpartition('.')[0]}.json")
        print(f"\n## Blender {version}\n")
        print("| modifier | given | vertices | expected | ratio | s | expected s | ratio |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        far = rows = low = 0
        for line in lines:
            if not line.startswith("stack "):
                continue
            name, seconds, before, after, found = json.loads(line[6:])
            expected = geonode_core.estimates(found, nodes)[OBJECT]
            made = expected["result"]["vertices"]
            ratio, counts = expected["seconds"] / max(seconds, 1e-9), made / max(after[0], 1)
            # Below a few milliseconds nothing is decided by the estimate.
            matters = max(seconds, expected["seconds"]) > 0.005
            rows += 1
            far += matters and not 0.25 <= ratio <= 4 or not 0.25 <= counts <= 4
            low += matters and ratio < 0.1 or counts < 0.1
            print(
                f"| {name} | {before[0]} | {after[0]} | {made:.0f} | {counts:.2f} | {seconds:.4f} |"
                f" {expected['seconds']:.4f} | {ratio:.2f} |"
            )
        print(f"\n{rows} stacks: {rows - far} within a factor of 4, {low} too low by more than 10.\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        page(sys.argv[1:])
    else:
        recorded()
    sys.stdout.flush()
    os._exit(0)
