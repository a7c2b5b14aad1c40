# expect: operators
import bpy
bpy.ops.wm.stl_export()
