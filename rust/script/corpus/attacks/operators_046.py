# expect: operators
import bpy
bpy.ops.preferences.script_directory_add()
