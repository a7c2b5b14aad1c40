# expect: operators
import bpy
for g in (bpy.ops.wm, bpy.ops.text):
    pass
