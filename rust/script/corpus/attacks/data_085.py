# expect: attributes
import bpy
for d in [bpy.data]:
    d.texts.new('x')
