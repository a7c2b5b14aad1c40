# expect: operators
import bpy
bpy.ops.camera.preset_add()
