# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
[0 for bpy.context.scene.render.filepath in ["/etc/x"]]
