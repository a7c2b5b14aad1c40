# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures inside Blender; prints ``figure [name, value, limit]`` lines. Run as a script by ``cargo xtask bench``."""

import json
import os
import sys
import time
from pathlib import Path

import bpy

start = time.perf_counter()
import geonode_assistant  # noqa: E402
import geonode_core  # noqa: E402, F401

geonode_assistant.register()
registered = time.perf_counter() - start


def figure(name, value, limit=None):
    print("figure", json.dumps([name, value, limit]))


figure("registration with the native import", registered * 1000, 100)
geonode_assistant.unregister()

# The node groups that Blender ships, the largest ones first.
assets = sorted(Path(bpy.utils.resource_path("LOCAL"), "datafiles", "assets").glob("**/*.blend"))
for asset in assets:
    with bpy.data.libraries.load(str(asset)) as (source, wanted):
        wanted.node_groups = source.node_groups
trees = [tree for tree in bpy.data.node_groups if tree.bl_idname == "GeometryNodeTree"]
trees = sorted(trees, key=lambda tree: -len(tree.nodes))[:20]
if trees:
    from geonode_assistant import api

    exports = []
    start = time.perf_counter()
    for tree in trees:
        exports.append(api.export_tree(tree))
    exporting = time.perf_counter() - start
    nodes = sum(len(tree["nodes"]) for ir in exports for tree in ir["trees"].values())
    figure("export of the largest shipped trees", exporting / nodes * 1000)
    start = time.perf_counter()
    for ir in exports:
        api.build_tree(ir)
    figure("build of the largest shipped trees", (time.perf_counter() - start) / nodes * 1000)

sys.stdout.flush()
# Some builds of the bpy module hang while the interpreter shuts down.
os._exit(0)
