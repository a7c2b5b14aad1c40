# expect: attributes
import bpy
bpy.context.scene.render.engine.__class__
