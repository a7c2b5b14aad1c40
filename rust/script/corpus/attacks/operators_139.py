# expect: operators
import bpy as b
b.ops.wm.quit_blender()
