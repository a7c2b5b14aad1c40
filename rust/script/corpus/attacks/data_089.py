# expect: attributes
import bpy
[1 for bpy.context.scene.render.filepath in ['x']]
