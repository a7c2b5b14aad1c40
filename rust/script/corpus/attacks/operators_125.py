# expect: operators
import bpy
bpy.ops.object.quick_smoke()
