# expect: operators
import bpy
bpy.ops.collection.export_all()
