# expect: attributes
import bpy
def f(d):
    return d.libraries
f(bpy.data)
