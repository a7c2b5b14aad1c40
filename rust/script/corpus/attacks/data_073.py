# expect: attributes
import bpy
bpy.context.object.data.dump()
