# expect: bounds
import bpy
bpy.data.images.new('x', width=10**6, height=10**6)
