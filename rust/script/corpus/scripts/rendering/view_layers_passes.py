# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
scene = bpy.context.scene
vl = scene.view_layers.new("Masks")
vl.use_pass_z = True
vl.use_pass_mist = True
vl.use_pass_cryptomatte_object = True
vl.pass_cryptomatte_depth = 4
aov = vl.aovs.add()
aov.name = "Custom"
aov.type = "COLOR"
scene.world.mist_settings.start = 2
scene.world.mist_settings.depth = 30
print([v.name for v in scene.view_layers], vl.aovs[0].name, vl.use_sky)
