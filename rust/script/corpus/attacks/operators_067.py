# expect: operators
import bpy
bpy.ops.file.pack_all()
