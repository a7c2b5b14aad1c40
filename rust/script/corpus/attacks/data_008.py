# expect: attributes
import bpy
bpy.context.window_manager.fileselect_add(1)
