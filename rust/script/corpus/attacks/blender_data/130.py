# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
print(bpy.context.window_manager.clipboard)
