# expect: operators
import bpy
bpy.ops.outliner.id_delete()
