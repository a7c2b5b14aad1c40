# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for curve in bpy.context.object.animation_data.drivers:
    print(curve.driver.expression)
