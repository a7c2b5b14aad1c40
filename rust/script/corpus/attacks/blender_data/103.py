# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.object.animation_data_create()
bpy.context.object.animation_data.drivers.new("location").driver.expression += 'f()'
