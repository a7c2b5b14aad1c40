# expect: operators
import bpy
bpy.ops.wm.save_as_mainfile()
