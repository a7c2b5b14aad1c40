# expect: operators
import bpy
bpy.ops.wm.collada_export()
