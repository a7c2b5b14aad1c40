# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
bsdf = bpy.data.materials["Material"].node_tree.nodes["Principled BSDF"]
def set_first(node, names, value):
    for n in names:
        sock = node.inputs.get(n)
        if sock is not None:
            sock.default_value = value
            return n
    return None
print(set_first(bsdf, ("Coat Weight", "Clearcoat"), 0.5), set_first(bsdf, ("Subsurface Weight", "Subsurface"), 0.1), set_first(bsdf, ("Nope",), 1))
if "Subsurface Color" in bsdf.inputs:
    bsdf.inputs["Subsurface Color"].default_value = (1, 0, 0, 1)
print(bsdf.inputs.find("Roughness") >= 0, [i.name for i in bsdf.inputs if i.is_linked])
