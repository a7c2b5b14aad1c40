# expect: operators
import bpy
bpy.ops.file.make_paths_relative()
