# expect: operators
import bpy
bpy.ops.wm.link()
