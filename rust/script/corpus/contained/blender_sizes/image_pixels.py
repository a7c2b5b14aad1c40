# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

i = bpy.data.images.new("x", 16000, 16000)
p = i.pixels[:]
