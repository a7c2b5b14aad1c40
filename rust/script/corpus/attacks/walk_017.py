# expect: attributes
import bpy
obj = bpy.context.object
obj.__dict__['x'] = 1
