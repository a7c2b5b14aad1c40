# expect: operators
import bpy
bpy.ops.import_anim.bvh()
