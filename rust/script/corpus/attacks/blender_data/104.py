# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
o = bpy.context.object
o.animation_data.drivers[0].driver.expression = "1"
