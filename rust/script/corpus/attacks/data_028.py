# expect: attributes
import bpy
bpy.data.filepath
