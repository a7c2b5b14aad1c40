# expect: attributes
import bpy
bpy.context.scene.render.bake.filepath
