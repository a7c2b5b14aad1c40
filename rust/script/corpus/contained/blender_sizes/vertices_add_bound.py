# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

n = 10**9
f = bpy.data.meshes.new("x").vertices.add
f(n)
