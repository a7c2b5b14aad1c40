# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

o = bpy.data.objects["Cube"]
bpy.data.objects.remove(o)
print(o.name)
