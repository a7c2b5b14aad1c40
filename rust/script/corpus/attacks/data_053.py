# expect: attributes
import bpy
bpy.context.area.header_text_set('x')
