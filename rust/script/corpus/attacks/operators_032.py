# expect: operators
import bpy
bpy.ops.wm.batch_rename()
