# expect: modules
import bpy
bpy.utils.script_paths()
