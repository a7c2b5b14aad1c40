# expect: operators
import bpy
bpy.ops.view3d.walk()
