# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
match bpy.context:
    case object(preferences=p):
        pass
