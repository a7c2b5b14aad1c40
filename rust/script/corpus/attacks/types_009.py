# expect: types
import bpy
bpy.types.NodeTree.evil = 1
