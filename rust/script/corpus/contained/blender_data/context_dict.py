# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
print(bpy.context.copy()["preferences"])
