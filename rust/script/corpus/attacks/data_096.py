# expect: attributes
class A:
    preferences = 1
import bpy
A.preferences
bpy.context.preferences
