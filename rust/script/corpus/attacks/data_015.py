# expect: attributes
import bpy
bpy.data.images.load('/etc/passwd')
