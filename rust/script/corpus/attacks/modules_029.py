# expect: modules
import bpy
bpy.app.driver_namespace['x'] = print
