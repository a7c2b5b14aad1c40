# expect: attributes
import bpy
bpy.data.brushes[0].icon_filepath = '/x'
