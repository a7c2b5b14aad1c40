# expect: operators
import bpy
bpy.ops.file.find_missing_files()
