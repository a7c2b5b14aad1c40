# expect: attributes
import bpy
bpy.context.object.bl_rna.properties
