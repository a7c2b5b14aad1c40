# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for i in range(10**7):
    bpy.context.scene.frame_set(i)
