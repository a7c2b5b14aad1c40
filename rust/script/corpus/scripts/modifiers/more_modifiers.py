# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
ob = bpy.context.object
def add(kind, **kw):
    m = ob.modifiers.new(kind.title().replace("_", ""), kind)
    for k, v in kw.items():
        if hasattr(m, k):
            setattr(m, k, v)
        else:
            print(f"{kind} has no {k}")
    return m
add('TRIANGULATE', quad_method='BEAUTY', min_vertices=4)
add('DECIMATE', ratio=0.5, use_collapse_triangulate=True)
add('REMESH', mode='VOXEL', voxel_size=0.1)
add('WIREFRAME', thickness=0.02, use_replace=False)
add('SMOOTH', iterations=5, factor=0.6)
add('CAST', cast_type='SPHERE', factor=0.4)
add('WAVE', height=0.3, width=1.0, speed=0.1)
add('EDGE_SPLIT', split_angle=0.6)
add('SHRINKWRAP', wrap_method='NEAREST_SURFACEPOINT')
add('WEIGHTED_NORMAL', keep_sharp=True, weight=60)
add('BUILD', frame_start=1, frame_duration=60)
add('CORRECTIVE_SMOOTH', factor=0.3)
add('MULTIRES')
add('OCEAN', geometry_mode='GENERATE', resolution=6, choppiness=1.2)
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.8)
cutter = bpy.context.object
cutter.display_type = 'WIRE'
cutter.hide_render = True
add('BOOLEAN', operation='DIFFERENCE', object=cutter, solver='EXACT')
curve = bpy.data.curves.new("c", 'CURVE')
c_ob = bpy.data.objects.new("c", curve)
bpy.context.collection.objects.link(c_ob)
add('CURVE', object=c_ob, deform_axis='POS_X')
add('HOOK', object=c_ob, strength=0.5)
add('ARMATURE'); add('SURFACE_DEFORM'); add('UV_PROJECT'); add('DATA_TRANSFER'); add('MASK'); add('NORMAL_EDIT'); add('EXPLODE')
ob.modifiers.active = ob.modifiers[0]
print(len(ob.modifiers))
