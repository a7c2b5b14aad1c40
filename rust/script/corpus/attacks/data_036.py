# expect: attributes
import bpy
bpy.context.object.path_resolve('location')
