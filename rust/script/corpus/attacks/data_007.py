# expect: attributes
import bpy
bpy.context.window_manager.popup_menu(print)
