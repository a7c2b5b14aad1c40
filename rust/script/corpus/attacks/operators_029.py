# expect: operators
import bpy
bpy.ops.wm.memory_statistics()
