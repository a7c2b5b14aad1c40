# expect: attributes
import bpy
bpy.data.libraries.write('/tmp/x.blend', set())
