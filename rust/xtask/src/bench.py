# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures inside Blender, for ``cargo xtask bench``; prints ``figure [name, value, unit, limit]`` lines.

Whatever is compared is measured in turns in this one process; every figure is the median of its rounds.
"""

import gc
import json
import os
import statistics
import sys
import time
from pathlib import Path

ROUNDS = 5

import bpy  # noqa: E402

start = time.perf_counter()
import geonode_assistant  # noqa: E402
import geonode_core  # noqa: E402, F401

geonode_assistant.register()
registered = time.perf_counter() - start
geonode_assistant.unregister()

from geonode_assistant.host import apply, build, export, transaction  # noqa: E402

GEOMETRY = "GeometryNodeTree"


def figure(name, value, unit, limit=None):
    print("figure", json.dumps([name, value, unit, limit]))


def timed(call):
    """The result and the seconds that it took, collections of earlier garbage aside."""
    gc.collect()
    begin = time.perf_counter()
    result = call()
    return result, time.perf_counter() - begin


def empty_file():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def append(path):
    """Blender itself brings all node groups of an asset file."""
    with bpy.data.libraries.load(str(path)) as (source, wanted):
        wanted.node_groups = list(source.node_groups)


def trees_here():
    return [tree for tree in bpy.data.node_groups if tree.bl_idname == GEOMETRY]


def shipped():
    """Append, export and rebuild of everything that this Blender ships, per 1,000 nodes, round by round."""
    folder = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "assets"
    files = [path for path in sorted(folder.glob("**/*.blend")) if "brushes" not in path.parts]
    rounds = []
    tube = None
    for _ in range(ROUNDS + 1):  # the first one reads node types and warms the disk
        appending = exporting = building = 0.0
        there = built = 0
        for path in files:
            empty_file()
            appending += timed(lambda path=path: append(path))[1]
            trees = trees_here()
            if not trees:
                continue
            there += sum(len(tree.nodes) for tree in trees)
            names = [tree.name for tree in trees]
            bundle, seconds = timed(lambda names=names: export.export_trees(names))
            exporting += seconds
            if "Curve to Tube" in names:
                tube = export.export_tree(bpy.data.node_groups["Curve to Tube"])
            nested = {node.node_tree.name for tree in trees for node in tree.nodes if getattr(node, "node_tree", None)}
            empty_file()
            for root in [name for name in names if name not in nested]:
                building += timed(lambda root=root, bundle=bundle: build.build_tree({**bundle, "root": root}))[1]
            built += sum(len(tree.nodes) for tree in trees_here())
        if there:
            rounds.append((appending / there * 1000, exporting / there * 1000, building / built * 1000))
    if not rounds:
        return
    rounds = rounds[1:]
    figure("append of the shipped trees by Blender", statistics.median(r[0] for r in rounds), "s/1,000 nodes")
    figure("rebuild of the shipped trees", statistics.median(r[2] for r in rounds), "s/1,000 nodes")
    figure("rebuild / append, paired", statistics.median(r[2] / r[0] for r in rounds), "times", 2)
    figure("export of the shipped trees", statistics.median(r[1] for r in rounds), "s/1,000 nodes", 0.06)
    if tube is not None:
        seconds = []
        for _ in range(ROUNDS):
            empty_file()
            seconds.append(timed(lambda: build.build_tree(tube))[1])
        figure("rebuild of Curve to Tube, 687 nodes", statistics.median(seconds), "s", 0.25)


def one_input():
    """One changed input in a tree of 1,000 nodes: as a transaction, and the application alone."""
    empty_file()
    chain = {
        "tree": "Chain",
        "create": True,
        "add": [{"id": f"n{number}", "type": "ShaderNodeMath"} for number in range(1000)],
        "links": [[f"n{number}", "Value", f"n{number + 1}", "Value"] for number in range(999)],
        "locations": [[f"n{number}", 200.0 * number, 0.0] for number in range(1000)],
    }
    apply.apply_delta({"step_id": "make", "trees": [chain]})
    whole, alone, bare = [], [], []
    socket = bpy.data.node_groups["Chain"].nodes["n500"].inputs[1]
    for number in range(2 * ROUNDS):
        edit = {"tree": "Chain", "create": False, "values": [["n500", "Value_001", float(number)]]}
        step = {"step_id": "edit", "trees": [edit]}

        def run(step=step):
            opened = transaction.Transaction([], ["Chain"])
            opened.apply(step)
            opened.commit("one input")

        whole.append(timed(run)[1])
        edit["values"][0][2] = -float(number)
        alone.append(timed(lambda step=step: apply.apply_delta(step))[1])
        bare.append(timed(lambda value=float(number): setattr(socket, "default_value", value))[1])
    figure("one input of 1,000 nodes: snapshot, edit, undo", statistics.median(whole) * 1000, "ms", 100)
    figure("one input of 1,000 nodes: Blender's own setter", statistics.median(bare) * 1000, "ms")
    figure("one input of 1,000 nodes: the edit alone", statistics.median(alone) * 1000, "ms", 5)


figure("registration with the native import", registered * 1000, "ms", 100)
shipped()
one_input()
sys.stdout.flush()
# Some builds of the bpy module hang while the interpreter shuts down.
os._exit(0)
