# expect: operators
import bpy
bpy.ops.anim.keying_set_export()
