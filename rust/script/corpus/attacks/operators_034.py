# expect: operators
import bpy
bpy.ops.wm.keyconfig_preset_add()
