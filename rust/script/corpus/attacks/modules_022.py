# expect: modules
import bpy
bpy.utils.register_class(1)
