# expect: types
import bpy
isinstance(1, [T := bpy.types.Object][0])
