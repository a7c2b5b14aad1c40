# expect: operators
import bpy
bpy.ops.wm.usd_export()
