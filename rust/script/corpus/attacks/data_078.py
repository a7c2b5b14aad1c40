# expect: attributes
import bpy
bpy.context.preferences
