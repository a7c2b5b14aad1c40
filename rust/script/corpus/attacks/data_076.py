# expect: attributes
import bpy
bpy.context.asset.full_path
