# expect: attributes
import bpy
bpy.data.images['x'].save()
