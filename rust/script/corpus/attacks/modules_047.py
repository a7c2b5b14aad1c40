# expect: modules
import bpy
class A(bpy.data.foo): pass
bpy.foo
