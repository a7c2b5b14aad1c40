# expect: classes
import bpy
class A(bpy.types.Panel):
    pass
