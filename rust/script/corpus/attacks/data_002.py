# expect: attributes
import bpy
bpy.context.preferences.filepaths.script_directory
