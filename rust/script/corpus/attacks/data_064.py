# expect: attributes
import bpy
bpy.data.materials[0].node_tree.nodes['x'].ies
