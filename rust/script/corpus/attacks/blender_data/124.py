# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
s = bpy.context.scene.sequence_editor_create()
s.sequences.new_movie("x", "/tmp/x.mp4", 1, 1)
