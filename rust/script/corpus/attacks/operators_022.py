# expect: operators
import bpy
bpy.ops.wm.obj_export()
