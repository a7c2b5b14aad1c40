# expect: nodes
import bpy
t = 'GeometryNodeImportSTL'
bpy.data.node_groups[0].nodes.new(t)
