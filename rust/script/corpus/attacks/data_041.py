# expect: attributes
import bpy
bpy.context.object.override_create()
