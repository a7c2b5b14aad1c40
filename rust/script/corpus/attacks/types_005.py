# expect: types
import bpy
bpy.types.Text
