# expect: attributes
import bpy
for bpy.data.x.filepath in [1]:
    pass
