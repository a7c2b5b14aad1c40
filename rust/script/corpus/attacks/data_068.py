# expect: attributes
import bpy
bpy.data.use_autopack = True
