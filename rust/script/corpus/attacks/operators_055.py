# expect: operators
import bpy
bpy.ops.render.render()
