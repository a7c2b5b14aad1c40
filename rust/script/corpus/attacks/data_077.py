# expect: attributes
import bpy
bpy.context.copy().preferences
