# expect: operators
import bpy
bpy.ops.mesh.knife_tool()
