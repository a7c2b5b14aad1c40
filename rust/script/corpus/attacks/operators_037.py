# expect: operators
import bpy
bpy.ops.script.execute_preset()
