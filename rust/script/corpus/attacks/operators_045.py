# expect: operators
import bpy
bpy.ops.preferences.addon_install()
