# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
sc = bpy.data.scenes.new("Preview")
sc.render.resolution_x = sc.render.resolution_y = 512
sc.render.fps = 24
sc.frame_start, sc.frame_end = 1, 48
sc.world = bpy.context.scene.world
coll = bpy.data.collections.new("PreviewObjects")
sc.collection.children.link(coll)
for ob in bpy.context.scene.objects:
    coll.objects.link(ob)
cam = next((o for o in coll.objects if o.type == 'CAMERA'), None)
sc.camera = cam
sc.use_gravity = True
sc.gravity = (0, 0, -1.62)
sc.tool_settings.use_snap = True
sc.tool_settings.transform_pivot_point = 'BOUNDING_BOX_CENTER'
sc.sync_mode = 'AUDIO_SYNC'
sc.use_preview_range = True
sc.frame_preview_end = 24
sc["note"] = "half length preview"
print([s.name for s in bpy.data.scenes])
