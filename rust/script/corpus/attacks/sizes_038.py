# expect: bounds
import bpy
bpy.ops.mesh.subdivide(number_cuts=100000)
