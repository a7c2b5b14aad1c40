# expect: classes
import bpy
class A(bpy.types.Operator):
    bl_idname = 'x.y'
