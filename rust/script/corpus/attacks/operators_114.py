# expect: operators
import bpy
bpy.ops.outliner.lib_operation()
