# expect: attributes
import bpy
bpy.data.sounds.load('/x')
