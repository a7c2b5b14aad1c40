# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
s = bpy.context.scene
r = s.render
r.resolution_x, r.resolution_y, r.resolution_percentage = 1280, 720, 50
r.fps, r.fps_base = 24, 1.0
r.film_transparent = True
r.image_settings.file_format = "PNG"
r.image_settings.color_mode = "RGBA"
r.image_settings.color_depth = "16"
r.use_motion_blur = True
s.view_settings.view_transform = "AgX"
s.view_settings.look = "AgX - Punchy" if hasattr(s.view_settings, "look") else "None"
s.view_settings.exposure = 0.3
for engine in ("BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"):
    try:
        r.engine = engine
        break
    except TypeError as e:
        print("skip")
s.use_preview_range = True
s.frame_preview_start, s.frame_preview_end = 5, 20
print(r.engine.startswith("BLENDER"), r.resolution_x)
