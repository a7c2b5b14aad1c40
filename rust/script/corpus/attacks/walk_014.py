# expect: attributes
import bpy
for o in bpy.data.objects:
    o.__class__.evil = 1
