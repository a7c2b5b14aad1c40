# expect: attributes
import bpy
bpy.context.scene.render.filepath += 'x'
