# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

mat = bpy.data.materials.new("Procedural Wood")
mat.use_nodes = True
nt = mat.node_tree
nt.nodes.clear()

def add(type_, x, y, **props):
    node = nt.nodes.new(type_)
    node.location = (x, y)
    for k, v in props.items():
        node.label = f"{k}={v}"
    return node

out = add('ShaderNodeOutputMaterial', 800, 0)
bsdf = add('ShaderNodeBsdfPrincipled', 500, 0)
ramp = add('ShaderNodeValToRGB', 200, 0)
wave = add('ShaderNodeTexWave', 0, 0)
noise = add('ShaderNodeTexNoise', -200, -200)
mapping = add('ShaderNodeMapping', -400, 0)
coord = add('ShaderNodeTexCoord', -600, 0)
wave.bands_direction = 'X'
wave.inputs['Scale'].default_value = 3.0
wave.inputs['Distortion'].default_value = 6.5
noise.inputs['Scale'].default_value = 12
mapping.inputs['Scale'].default_value[1] = 0.25
cr = ramp.color_ramp
cr.elements[0].color = (0.12, 0.05, 0.02, 1)
cr.elements[1].color = (0.45, 0.25, 0.12, 1)
mid = cr.elements.new(0.5)
mid.color = (0.3, 0.15, 0.06, 1)
links = nt.links
links.new(coord.outputs['Object'], mapping.inputs['Vector'])
links.new(mapping.outputs['Vector'], wave.inputs['Vector'])
links.new(mapping.outputs[0], noise.inputs[0])
links.new(wave.outputs['Fac'], ramp.inputs['Fac'])
links.new(ramp.outputs['Color'], bsdf.inputs['Base Color'])
links.new(noise.outputs[0], bsdf.inputs['Roughness'])
links.new(bsdf.outputs[0], out.inputs[0])
ob = bpy.context.active_object
if ob and ob.type == 'MESH':
    if ob.data.materials:
        ob.data.materials[0] = mat
    else:
        ob.data.materials.append(mat)
