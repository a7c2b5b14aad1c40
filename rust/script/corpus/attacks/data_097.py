# expect: attributes
import bpy
x = bpy.data
x.images.load('/x', check_existing=True)
