# expect: attributes
import bpy
bpy.data.images['x'].reload()
