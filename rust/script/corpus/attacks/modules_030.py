# expect: modules
import bpy
bpy.app.binary_path
