# expect: operators
import bpy
bpy.ops.uv.export_layout()
