# expect: operators
from bpy import ops
ops.wm.quit_blender()
