# expect: types
import bpy
bpy.types.VIEW3D_MT_add.append(print)
