# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
s = bpy.context.scene.sequence_editor_create()
s.strips.new_image("x", "/etc/passwd", 1, 1)
