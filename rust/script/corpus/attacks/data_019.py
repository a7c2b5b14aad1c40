# expect: attributes
import bpy
bpy.data.images['x'].filepath_raw = '/tmp/x'
