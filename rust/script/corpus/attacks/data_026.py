# expect: attributes
import bpy
bpy.data.cache_files[0].filepath
