# expect: attributes
import bpy
bpy.context.__class__.__subclasses__()
