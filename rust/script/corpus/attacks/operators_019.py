# expect: operators
import bpy
bpy.ops.wm.revert_mainfile()
