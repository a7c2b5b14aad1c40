# expect: attributes
import bpy
del bpy.context.object.animation_data.drivers
