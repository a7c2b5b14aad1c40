# expect: operators
import bpy
bpy.ops.wm.lib_reload()
