# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for o in bpy.data.objects:
    o.__class__.evil = 1
