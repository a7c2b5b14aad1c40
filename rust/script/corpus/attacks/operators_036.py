# expect: operators
import bpy
bpy.ops.script.reload()
