# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from typing import Dict, List

tree = bpy.data.node_groups.get("Scatter")
if tree:
    depth: Dict[str, int] = {}
    for _ in range(len(tree.nodes)):
        for link in tree.links:
            a, b = link.from_node.name, link.to_node.name
            depth[b] = max(depth.get(b, 0), depth.get(a, 0) + 1)
    columns: List[int] = [0] * (max(depth.values(), default=0) + 1)
    for node in tree.nodes:
        d = depth.get(node.name, 0)
        node.location = (d * 220, -columns[d] * 180)
        columns[d] += 1
