# expect: operators
import bpy
bpy.ops.wm.read_factory_settings()
