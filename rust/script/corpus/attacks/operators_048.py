# expect: operators
import bpy
bpy.ops.preferences.keyitem_add()
