# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
with bpy.data.libraries.load("/tmp/x.blend") as (a, b):
    b.objects = a.objects
