# expect: operators
import bpy
bpy.ops.fluid.bake_all()
