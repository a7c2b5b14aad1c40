# expect: modules
import bpy
del bpy.context
