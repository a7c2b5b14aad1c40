# expect: operators
import bpy
bpy.ops.scene.freestyle_module_open()
