# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
for area in getattr(bpy.context.screen, "areas", []) if bpy.context.screen else []:
    print(area.type)
scene = bpy.context.scene
if hasattr(scene, "eevee") and hasattr(scene.eevee, "use_soft_shadows"):
    scene.eevee.use_soft_shadows = True
if hasattr(scene, "grease_pencil_settings") and hasattr(scene.grease_pencil_settings, "antialias_threshold"):
    scene.grease_pencil_settings.antialias_threshold = 1.0
print(scene.name)
