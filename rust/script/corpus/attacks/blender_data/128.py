# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
c = bpy.context
print(getattr(c, "prefer" "ences"))
