# expect: operators
import bpy
bpy.ops.wm.save_mainfile()
