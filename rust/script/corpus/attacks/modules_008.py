# expect: modules
import bpy
bpy.data = None
