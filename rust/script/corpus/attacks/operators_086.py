# expect: operators
import bpy
bpy.ops.export_mesh.stl()
