# expect: operators
import bpy
bpy.ops.screen.new()
