# expect: operators
import bpy
bpy.ops.wm.redraw_timer()
