# expect: operators
import bpy
bpy.ops.collection.exporter_export()
