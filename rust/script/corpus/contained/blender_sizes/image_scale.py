# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

n = 60000
i = bpy.data.images.new("x", 8, 8)
i.scale(n, n)
