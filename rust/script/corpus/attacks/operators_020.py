# expect: operators
import bpy
bpy.ops.wm.recover_last_session()
