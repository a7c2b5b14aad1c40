# expect: attributes
import bpy
bpy.context.workspace.status_text_set('x')
