# expect: types
import bpy
bpy.types.Panel.__subclasses__()
