# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from mathutils import Color, Vector
for i, kind in enumerate(('POINT', 'SUN', 'SPOT', 'AREA')):
    ld = bpy.data.lights.new(kind.title(), type=kind)
    ld.energy = {'POINT': 100, 'SUN': 2, 'SPOT': 500, 'AREA': 200}[kind]
    ld.color = Color((1, 0.8, 0.6))
    ld.use_shadow = True
    if hasattr(ld, "shadow_soft_size"):
        ld.shadow_soft_size = 0.3
    match kind:
        case 'SUN': ld.angle = 0.01
        case 'AREA': ld.shape, ld.size, ld.size_y = 'RECTANGLE', 2, 1
        case 'SPOT': ld.spot_size, ld.show_cone = 1.2, True
    ob = bpy.data.objects.new(ld.name, ld)
    ob.location = Vector((i * 3, 0, 4))
    bpy.context.collection.objects.link(ob)
    ld.use_nodes = True
    em = ld.node_tree.nodes.get("Emission")
    if em:
        em.inputs["Strength"].default_value = 1.5
bpy.ops.object.lightprobe_add(type='SPHERE', location=(0, 0, 1))
bpy.context.scene.view_settings.look = 'None'
bpy.context.scene.display.shading.light = 'STUDIO'
bpy.context.scene.display.shading.show_shadows = True
