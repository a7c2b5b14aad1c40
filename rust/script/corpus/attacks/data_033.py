# expect: attributes
import bpy
bpy.context.object.animation_data.drivers
