# expect: operators
import bpy
bpy.ops.export_anim.bvh()
