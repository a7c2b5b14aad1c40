# expect: operators
import bpy
bpy.ops.screen.area_close()
