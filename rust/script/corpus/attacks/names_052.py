# expect: names
bpy.ops.mesh.primitive_cube_add()
