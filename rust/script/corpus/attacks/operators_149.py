# expect: modules
import bpy
[bpy.ops][0].wm.quit_blender()
