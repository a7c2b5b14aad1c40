# expect: operators
import bpy
bpy.ops.preferences.addon_enable()
