# expect: attributes
import bpy
x, *bpy.context.scene.render.filepath = [1, 2]
