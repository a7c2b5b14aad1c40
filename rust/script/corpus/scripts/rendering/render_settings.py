# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

scene = bpy.context.scene
scene.render.engine = 'CYCLES'
scene.render.resolution_x = 1920
scene.render.resolution_y = 1080
scene.render.resolution_percentage = 50
scene.render.fps = 24
scene.render.film_transparent = True
scene.cycles.samples = 128
scene.cycles.use_denoising = True
scene.view_settings.view_transform = 'Standard'
scene.view_settings.exposure = 0.3
scene.render.image_settings.file_format = 'PNG'
