# expect: bounds
import bpy
bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=14)
