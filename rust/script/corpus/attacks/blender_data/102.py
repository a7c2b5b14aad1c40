# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for n in ("driver_add",):
    getattr(bpy.context.object, n)("location")
