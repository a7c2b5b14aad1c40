# expect: attributes
import bpy
bpy.context.object.as_pointer()
