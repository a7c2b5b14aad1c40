# expect: modules
import bpy
bpy.app.debug = True
