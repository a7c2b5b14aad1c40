# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
obj = bpy.context.object
obj.__dict__['x'] = 1
