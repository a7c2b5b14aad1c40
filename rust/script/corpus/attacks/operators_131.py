# expect: operators
import bpy
bpy.ops.cloth.preset_add()
