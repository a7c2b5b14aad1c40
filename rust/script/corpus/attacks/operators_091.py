# expect: operators
import bpy
bpy.ops.object.volume_import()
