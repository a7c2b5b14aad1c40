# expect: operators
import bpy
bpy.ops.screen.userpref_show()
