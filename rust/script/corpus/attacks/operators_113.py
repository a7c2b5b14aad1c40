# expect: operators
import bpy
bpy.ops.outliner.orphans_purge()
