# expect: operators
import bpy
bpy.ops.wm.path_open()
