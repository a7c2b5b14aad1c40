# expect: modules
import bpy
bpy.path.abspath('//')
