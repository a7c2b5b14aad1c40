# expect: attributes
import bpy
bpy.data.window_managers[0].keyconfigs
