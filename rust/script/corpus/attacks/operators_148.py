# expect: modules
import bpy
getattr(bpy.ops, 'wm')
