# expect: operators
import bpy
bpy.ops.node.add_image()
