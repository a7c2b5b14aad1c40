# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

n = 60000
bpy.data.images.new("x", n, n)
