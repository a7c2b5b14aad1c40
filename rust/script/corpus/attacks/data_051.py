# expect: attributes
import bpy
bpy.context.region.as_pointer()
