# expect: operators
import bpy
bpy.ops.anim.driver_button_add()
