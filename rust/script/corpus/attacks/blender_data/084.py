# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for bpy.data.x.filepath in [1]:
    pass
