# expect: attributes
import bpy
bpy.data.node_groups[0].nodes['x'].script
