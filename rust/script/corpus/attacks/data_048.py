# expect: attributes
import bpy
bpy.context.view_layer.freestyle_settings.modules
