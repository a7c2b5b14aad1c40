# expect: operators
import bpy
bpy.ops.font.open()
