# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
import numpy as np

w = h = 128
img = bpy.data.images.get("Checker") or bpy.data.images.new("Checker", width=w, height=h, alpha=True, float_buffer=False)
yy, xx = np.mgrid[0:h, 0:w]
mask = ((xx // 16 + yy // 16) % 2).astype(np.float32)
px = np.ones((h, w, 4), dtype=np.float32)
px[..., 0] = mask
px[..., 1] = xx / w
px[..., 2] = yy / h
img.pixels.foreach_set(px.ravel())
img.update()
img.pack()
img.colorspace_settings.name = 'sRGB'
mat = bpy.data.materials.new("CheckerMat")
mat.use_nodes = True
nt = mat.node_tree
tex = nt.nodes.new("ShaderNodeTexImage")
tex.image = img
tex.interpolation = 'Closest'
tex.extension = 'REPEAT'
nt.links.new(tex.outputs["Color"], nt.nodes["Principled BSDF"].inputs["Base Color"])
bpy.ops.mesh.primitive_plane_add(size=2)
bpy.context.object.data.materials.append(mat)
print(img.size[:], img.channels, float(np.mean(img.pixels[:400])))
