# expect: attributes
import bpy
bpy.context.object.modifiers['N'].bake_directory = '/x'
