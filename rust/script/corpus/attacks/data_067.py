# expect: attributes
import bpy
bpy.data.collections[0].exporters[0].filepath
