# expect: operators
import bpy
bpy.ops.mesh.primitive_cube_add.get_rna_type()
