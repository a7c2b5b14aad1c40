# expect: operators
import bpy
bpy.ops.wm.window_close()
