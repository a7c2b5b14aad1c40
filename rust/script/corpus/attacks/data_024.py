# expect: attributes
import bpy
bpy.data.fonts.load('/x')
