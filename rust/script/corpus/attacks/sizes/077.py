# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10 ** 9
bpy.data.meshes.new("x").vertices.add(n)
