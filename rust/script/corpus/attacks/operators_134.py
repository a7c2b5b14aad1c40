# expect: operators
import bpy
f = bpy.ops.mesh.primitive_cube_add
