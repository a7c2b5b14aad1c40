# expect: attributes
import bpy
bpy.context.object.modifiers['x'].cache_file
