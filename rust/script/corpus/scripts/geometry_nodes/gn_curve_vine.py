# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy

def node(tree, idname, loc, inputs=None, **attrs):
    n = tree.nodes.new(idname)
    n.location = loc
    for key, val in attrs.items():
        if hasattr(n, key):
            setattr(n, key, val)
    for key, val in (inputs or {}).items():
        try:
            n.inputs[key].default_value = val
        except KeyError:
            print(f"{idname}: no input {key}")
    return n

t = bpy.data.node_groups.new("Vine", "GeometryNodeTree")
t.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
spiral = node(t, "GeometryNodeCurveSpiral", (-600, 0), {"Resolution": 64, "Rotations": 4.0, "Start Radius": 1.0, "End Radius": 0.2, "Height": 4.0})
resample = node(t, "GeometryNodeResampleCurve", (-400, 0), {"Count": 80}, mode='COUNT')
noise = node(t, "ShaderNodeTexNoise", (-600, -300), {"Scale": 2.0}, noise_dimensions='3D')
pos = node(t, "GeometryNodeSetPosition", (-200, 0))
circle = node(t, "GeometryNodeCurvePrimitiveCircle", (-200, -300), {"Radius": 0.05, "Resolution": 8})
to_mesh = node(t, "GeometryNodeCurveToMesh", (0, 0), {"Fill Caps": True})
store = node(t, "GeometryNodeStoreNamedAttribute", (200, 0), {"Name": "vine_u"}, data_type='FLOAT', domain='POINT')
param = node(t, "GeometryNodeSplineParameter", (0, -300))
smooth = node(t, "GeometryNodeSetShadeSmooth", (400, 0))
out = node(t, "NodeGroupOutput", (600, 0))
for a, ao, b, bi in ((spiral, 0, resample, "Curve"), (resample, 0, pos, "Geometry"), (noise, "Color", pos, "Offset"),
                     (pos, 0, to_mesh, "Curve"), (circle, "Curve", to_mesh, "Profile Curve"), (to_mesh, 0, store, "Geometry"),
                     (param, "Factor", store, "Value"), (store, 0, smooth, 0), (smooth, 0, out, 0)):
    t.links.new(a.outputs[ao], b.inputs[bi])
me = bpy.data.meshes.new("VineHost")
ob = bpy.data.objects.new("Vine", me)
bpy.context.collection.objects.link(ob)
ob.modifiers.new("Vine", "NODES").node_group = t
