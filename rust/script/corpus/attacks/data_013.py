# expect: attributes
import bpy
bpy.data.libraries.load('/tmp/x.blend')
