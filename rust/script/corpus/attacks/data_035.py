# expect: attributes
import bpy
bpy.context.object.driver_remove('location')
