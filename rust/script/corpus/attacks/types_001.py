# expect: types
import bpy
bpy.types.Scene.prop = 1
