# expect: operators
import bpy
bpy.ops.geometry.execute_node_group()
