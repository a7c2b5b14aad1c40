# expect: classes
import bpy
class A(bpy.types.PropertyGroup):
    pass
