# expect: attributes
import bpy
bpy.context.space_data.text
