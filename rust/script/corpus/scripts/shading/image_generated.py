# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
img = bpy.data.images.new("Checker", width=16, height=16, alpha=True, float_buffer=False)
px = [0.0] * (16 * 16 * 4)
for y in range(16):
    for x in range(16):
        i = (y * 16 + x) * 4
        v = float((x // 4 + y // 4) % 2)
        px[i:i + 4] = [v, v, 1 - v, 1.0]
img.pixels = px
img.update()
mat = bpy.data.materials.new("CheckerMat")
mat.use_nodes = True
tex = mat.node_tree.nodes.new("ShaderNodeTexImage")
tex.image = img
tex.interpolation = "Closest"
mat.node_tree.links.new(tex.outputs["Color"], mat.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
bpy.data.objects["Cube"].active_material = mat
print(img.size[:], [round(p, 1) for p in img.pixels[:4]], img.has_data)
