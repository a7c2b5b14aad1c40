# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for o in list(bpy.data.objects):
    bpy.data.objects.remove(o, do_unlink=True)
