# expect: types
import bpy
x: (bpy.types.Object).evil = 1
