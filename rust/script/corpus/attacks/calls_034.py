# expect: attributes
import bpy
getattr(bpy.context, 'preferences')
