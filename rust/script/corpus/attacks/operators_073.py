# expect: operators
import bpy
bpy.ops.ed.undo()
