# expect: operators
import bpy
bpy.ops.wm.open_mainfile()
