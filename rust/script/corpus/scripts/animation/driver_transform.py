# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
cube = bpy.data.objects["Cube"]
light = bpy.data.objects["Light"]
for axis, index in zip("XYZ", range(3)):
    d = light.driver_add("location", index).driver
    d.type = "AVERAGE"
    v = d.variables.new()
    v.name = "v" + axis.lower()
    v.type = "TRANSFORMS"
    v.targets[0].id = cube
    v.targets[0].transform_type = f"LOC_{axis}"
    v.targets[0].transform_space = "WORLD_SPACE"
cube.location = (3, 2, 1)
bpy.context.view_layer.update()
print([round(c, 2) for c in light.matrix_world.translation])
