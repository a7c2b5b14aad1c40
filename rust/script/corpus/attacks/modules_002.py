# expect: modules
import bpy
print(bpy)
