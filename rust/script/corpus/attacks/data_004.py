# expect: attributes
import bpy
bpy.context.window_manager.keyconfigs.user.keymaps
