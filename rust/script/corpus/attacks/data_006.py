# expect: attributes
import bpy
bpy.context.window_manager.modal_handler_add(1)
