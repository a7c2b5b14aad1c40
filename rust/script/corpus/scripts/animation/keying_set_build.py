# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
scene = bpy.context.scene
ks = scene.keying_sets.new(idname="Props", name="Props")
ks.paths.add(bpy.data.objects["Cube"], "location", index=-1)
ks.paths.add(bpy.data.objects["Light"].data, "energy")
print(len(ks.paths), ks.paths[0].data_path, scene.keying_sets.active.bl_label if scene.keying_sets.active else None)
