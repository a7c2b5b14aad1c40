# expect: modules
import bpy
bpy.app.online_access
