# expect: attributes
import bpy
bpy.data.movieclips.load('/x')
