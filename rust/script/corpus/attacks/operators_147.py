# expect: modules
import bpy
o = bpy.ops
