# expect: types
import bpy
bpy.types.WindowManager.x = 1
