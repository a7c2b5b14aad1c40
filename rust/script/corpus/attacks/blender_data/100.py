# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.scene.render.filepath = "/tmp/sx_pwned"
bpy.ops.render.render(write_still=True)
