# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
map(bpy.ops.object.select_all, [1])
