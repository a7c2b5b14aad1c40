# expect: operators
import bpy
bpy.ops.brush.asset_save()
