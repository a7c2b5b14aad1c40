# expect: operators
import bpy
bpy.ops.wm.properties_add()
