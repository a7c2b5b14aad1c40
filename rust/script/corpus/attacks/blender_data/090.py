# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
del bpy.context.object.animation_data.drivers[0].driver.expression
