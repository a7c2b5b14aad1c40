# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for d in [bpy.data]:
    d.texts.new('x')
