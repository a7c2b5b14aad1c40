# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
mat = bpy.data.materials.new("Procedural Wood")
mat.use_nodes = True
nt = mat.node_tree
nt.nodes.clear()

def add(kind, x, y, **props):
    n = nt.nodes.new(kind)
    n.location = (x, y)
    for k, v in props.items():
        setattr(n, k, v)
    return n

out = add("ShaderNodeOutputMaterial", 800, 0)
bsdf = add("ShaderNodeBsdfPrincipled", 500, 0)
coord = add("ShaderNodeTexCoord", -900, 0)
mapping = add("ShaderNodeMapping", -700, 0, vector_type='TEXTURE')
noise = add("ShaderNodeTexNoise", -450, 150, noise_dimensions='3D')
wave = add("ShaderNodeTexWave", -200, 0, wave_type='RINGS', rings_direction='Z')
ramp = add("ShaderNodeValToRGB", 50, 0)
bump = add("ShaderNodeBump", 250, -250)

mapping.inputs["Scale"].default_value = (1, 1, 0.1)
noise.inputs["Scale"].default_value = 3.5
noise.inputs["Detail"].default_value = 8
wave.inputs["Scale"].default_value = 2.0
wave.inputs["Distortion"].default_value = 4.0
cr = ramp.color_ramp
cr.interpolation = 'EASE'
cr.elements[0].position = 0.2
cr.elements[0].color = (0.10, 0.035, 0.01, 1)
cr.elements[1].position = 0.8
cr.elements[1].color = (0.45, 0.2, 0.06, 1)
mid = cr.elements.new(0.5)
mid.color = (0.25, 0.1, 0.03, 1)
bump.inputs["Strength"].default_value = 0.2

link = nt.links.new
link(coord.outputs["Object"], mapping.inputs["Vector"])
link(mapping.outputs[0], noise.inputs["Vector"])
link(noise.outputs["Fac" if "Fac" in noise.outputs else "Factor"], wave.inputs["Vector"])
link(wave.outputs["Color"], ramp.inputs[0])
link(ramp.outputs["Color"], bsdf.inputs["Base Color"])
link(wave.outputs["Color"], bump.inputs["Height"])
link(bump.outputs["Normal"], bsdf.inputs["Normal"])
link(bsdf.outputs["BSDF"], out.inputs["Surface"])
print("Links:", len(nt.links))
