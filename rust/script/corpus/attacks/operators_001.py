# expect: operators
import bpy
bpy.ops.wm.quit_blender()
