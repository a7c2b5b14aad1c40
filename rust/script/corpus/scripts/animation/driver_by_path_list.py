# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
cube = bpy.data.objects["Cube"]
mod = cube.modifiers.new("Bevel", "BEVEL")
paths = ["location", "rotation_euler", 'modifiers["Bevel"].width', '["glow"]']
cube["glow"] = 0.5
for path in paths:
    value = cube.path_resolve(path)
    index = 2 if hasattr(value, "__len__") else -1
    cube.keyframe_insert(data_path=path, index=index, frame=5)
fc = cube.driver_add("scale", 1)
fc.driver.type = "MAX"
for name, path in (("a", "scale[0]"), ("b", "scale.z")):
    v = fc.driver.variables.new()
    v.name = name
    v.targets[0].id = cube
    v.targets[0].data_path = path
print(len(fc.driver.variables), cube.animation_data.drivers.find("scale", index=1) is not None)
