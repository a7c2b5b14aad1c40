# expect: operators
import bpy
bpy.ops.node.shader_script_update()
