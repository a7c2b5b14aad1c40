# expect: operators
import bpy
bpy.ops.clip.open()
