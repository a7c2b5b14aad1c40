# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, math
world = bpy.context.scene.world
if world is None:
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
world.use_nodes = True
tree = world.node_tree
for node in list(tree.nodes):
    tree.nodes.remove(node)
bg = tree.nodes.new('ShaderNodeBackground')
out = tree.nodes.new('ShaderNodeOutputWorld')
sky = tree.nodes.new('ShaderNodeTexSky')
available = [i.identifier for i in sky.bl_rna.properties['sky_type'].enum_items]
for wanted in ('MULTIPLE_SCATTERING', 'NISHITA', 'HOSEK_WILKIE'):
    if wanted in available:
        sky.sky_type = wanted
        break
if hasattr(sky, 'sun_elevation'):
    sky.sun_elevation = math.radians(12)
    sky.sun_rotation = math.radians(210)
sky.location, bg.location, out.location = (-300, 0), (0, 0), (250, 0)
bg.inputs['Strength'].default_value = 0.35
tree.links.new(sky.outputs['Color'], bg.inputs['Color'])
tree.links.new(bg.outputs['Background'], out.inputs['Surface'])
