# expect: types
import bpy
bpy.types.Operator.bl_rna
