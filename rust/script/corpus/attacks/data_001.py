# expect: attributes
import bpy
bpy.context.preferences.addons['x'].preferences.api_key
