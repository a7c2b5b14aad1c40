# expect: attributes
import bpy
bpy.context.collection.exporters
