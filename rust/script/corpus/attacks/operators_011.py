# expect: operators
import bpy
bpy.ops.wm.url_open()
