# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

i = 0
while True:
    bpy.data.objects.new("x", None)
    i += 1
    if i < 0:
        break
