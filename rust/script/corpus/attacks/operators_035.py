# expect: operators
import bpy
bpy.ops.script.python_file_run()
