# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
g = bpy.data.node_groups.new("Cloud", "GeometryNodeTree")
g.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
g.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
n = {k: g.nodes.new(v) for k, v in {"i": "NodeGroupInput", "o": "NodeGroupOutput", "v": "GeometryNodeMeshToVolume", "m": "GeometryNodeVolumeToMesh", "s": "GeometryNodeSetShadeSmooth", "mat": "GeometryNodeSetMaterial"}.items()}
n["mat"].inputs["Material"].default_value = bpy.data.materials.new("Cloud")
chain = ["i", "v", "m", "s", "mat", "o"]
for a, b in zip(chain, chain[1:]):
    g.links.new(n[a].outputs[0], n[b].inputs[0])
for i, k in enumerate(chain):
    n[k].location.x = i * 200
frame = g.nodes.new("NodeFrame")
frame.label = "Volume"
n["v"].parent = n["m"].parent = frame
n["s"].use_custom_color = True
n["s"].color = (0.2, 0.4, 0.2)
n["s"].hide = True
bpy.data.objects["Cube"].modifiers.new("Cloud", "NODES").node_group = g
print(len(g.links))
