# expect: modules
import bpy
f = lambda x=bpy.ops: x.wm
