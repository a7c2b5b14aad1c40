# expect: operators
import bpy
bpy.ops.mesh.__getattr__
