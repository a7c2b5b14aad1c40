# expect: operators
import bpy
bpy.ops.file.delete()
