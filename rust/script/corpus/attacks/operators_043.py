# expect: operators
import bpy
bpy.ops.console.copy()
