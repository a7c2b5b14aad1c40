# expect: modules
import bpy
bpy.app.icons.release(1)
