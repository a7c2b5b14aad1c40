# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
empty = bpy.data.objects.new("Ctrl", None)
bpy.context.collection.objects.link(empty)
empty["speed"] = 2.0
cube = bpy.data.objects["Cube"]
fcurve = cube.driver_add("rotation_euler", 2)
drv = fcurve.driver
drv.type = "SUM"
var = drv.variables.new()
var.name = "speed"
var.type = "SINGLE_PROP"
target = var.targets[0]
target.id_type = "OBJECT"
target.id = empty
target.data_path = '["speed"]'
bpy.context.view_layer.update()
print(round(cube.rotation_euler.z, 3))
