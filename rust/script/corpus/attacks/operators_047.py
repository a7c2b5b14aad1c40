# expect: operators
import bpy
bpy.ops.preferences.keymap_restore()
