# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
f = lambda x=bpy.ops: x.wm
