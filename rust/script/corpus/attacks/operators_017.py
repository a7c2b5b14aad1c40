# expect: operators
import bpy
bpy.ops.wm.call_menu()
