# expect: operators
import bpy
bpy.ops.asset.mark()
