# expect: nodes
import bpy
bpy.data.node_groups[0].nodes.new('CompositorNodeOutputFile')
