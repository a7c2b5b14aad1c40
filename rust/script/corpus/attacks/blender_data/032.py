# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.object.driver_add('location', 0).driver.expression = 'f()'
