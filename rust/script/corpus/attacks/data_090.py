# expect: attributes
import bpy
with bpy.context.temp_override() as bpy.context.scene.render.filepath:
    pass
