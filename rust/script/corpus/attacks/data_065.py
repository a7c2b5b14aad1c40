# expect: attributes
import bpy
bpy.context.evaluated_depsgraph_get().debug_stats_gnuplot('/x')
