# expect: types
import bpy
T = bpy.types.Object
