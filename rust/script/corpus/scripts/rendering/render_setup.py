# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
scene = bpy.context.scene
render = scene.render
engines = {e.identifier for e in bpy.types.RenderSettings.bl_rna.properties['engine'].enum_items}
try:
    render.engine = 'BLENDER_EEVEE_NEXT'
except TypeError:
    render.engine = 'BLENDER_EEVEE'
render.resolution_x = 1920
render.resolution_y = 1080
render.resolution_percentage = 50
render.film_transparent = True
render.use_motion_blur = False
render.image_settings.file_format = 'PNG'
render.image_settings.color_mode = 'RGBA'
render.image_settings.color_depth = '16'
if hasattr(scene, "eevee"):
    for attr, value in (("taa_render_samples", 64), ("use_raytracing", True), ("use_gtao", True), ("use_bloom", True)):
        if hasattr(scene.eevee, attr):
            setattr(scene.eevee, attr, value)
scene.view_settings.exposure = 0.3
scene.view_settings.gamma = 1.0
for vt in ('AgX', 'Filmic', 'Standard'):
    try:
        scene.view_settings.view_transform = vt
        break
    except TypeError as e:
        print("not available:", vt, e)
scene.unit_settings.system = 'METRIC'
scene.unit_settings.length_unit = 'CENTIMETERS'
scene.frame_current = 10
