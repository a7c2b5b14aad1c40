# expect: operators
import bpy
bpy.ops.graph.driver_variables_paste()
