# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
f = bpy.data.images.new
f('x', 1, 1, filepath='/etc/passwd')
