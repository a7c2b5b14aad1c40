# expect: attributes
import bpy
bpy.data.images['x'].filepath = '/tmp/x'
