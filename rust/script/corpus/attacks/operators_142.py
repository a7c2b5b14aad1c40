# expect: operators
import bpy
bpy.ops.mesh.no_such_operator()
