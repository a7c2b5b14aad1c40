# expect: operators
import bpy
k = {'size': 1}
bpy.ops.mesh.primitive_cube_add(**k)
