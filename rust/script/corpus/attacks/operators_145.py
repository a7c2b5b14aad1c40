# expect: operators
import bpy
getattr(bpy.ops.wm, 'quit_blender')()
