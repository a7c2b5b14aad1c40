# expect: operators
import bpy
bpy.ops.text.open()
