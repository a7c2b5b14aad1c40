# expect: calls
import bpy
f = bpy.data.images.new
f('x', 1, 1, filepath='/etc/passwd')
