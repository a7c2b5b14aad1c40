# expect: operators
import bpy
bpy.ops.object.simulation_nodes_cache_bake()
