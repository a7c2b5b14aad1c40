# expect: types
import bpy
bpy.types.Object.evil = property(print)
