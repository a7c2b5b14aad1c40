# expect: operators
import bpy
bpy.ops.wm.operator_defaults()
