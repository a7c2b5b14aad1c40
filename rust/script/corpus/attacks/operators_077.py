# expect: operators
import bpy
bpy.ops.ed.flush_edits()
