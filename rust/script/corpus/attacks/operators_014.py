# expect: operators
import bpy
bpy.ops.wm.context_set_string()
