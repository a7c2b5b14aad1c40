# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
setattr(bpy.context.scene.render, 'filepath', '/tmp/x')
