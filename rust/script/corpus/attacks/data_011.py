# expect: attributes
import bpy
bpy.data.texts['x'].as_module()
