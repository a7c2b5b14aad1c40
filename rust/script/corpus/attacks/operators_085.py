# expect: operators
import bpy
bpy.ops.import_curve.svg()
