# expect: operators
import bpy
bpy.ops.text.run_script()
