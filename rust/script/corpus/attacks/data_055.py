# expect: attributes
import bpy
bpy.context.object.modifiers['Fluid'].domain_settings.cache_directory = '/x'
