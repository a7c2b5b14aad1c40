# expect: attributes
import bpy
bpy.data.temp_data()
