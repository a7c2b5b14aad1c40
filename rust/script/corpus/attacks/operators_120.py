# expect: operators
import bpy
bpy.ops.workspace.append_activate()
