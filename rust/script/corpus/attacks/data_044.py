# expect: attributes
import bpy
bpy.context.object.asset_data
