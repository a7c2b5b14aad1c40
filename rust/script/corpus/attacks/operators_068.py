# expect: operators
import bpy
bpy.ops.file.unpack_all()
