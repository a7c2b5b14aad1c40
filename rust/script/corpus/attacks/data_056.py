# expect: attributes
import bpy
bpy.context.object.modifiers['Ocean'].filepath = '/x'
