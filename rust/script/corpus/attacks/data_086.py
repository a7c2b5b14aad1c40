# expect: attributes
import bpy
[d.texts for d in [bpy.data]]
