# expect: operators
import bpy
bpy.ops.file.execute()
