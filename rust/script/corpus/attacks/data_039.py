# expect: attributes
import bpy
bpy.context.object.rna_type
