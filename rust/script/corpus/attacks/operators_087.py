# expect: operators
import bpy
bpy.ops.object.bake()
