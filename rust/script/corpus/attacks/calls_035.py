# expect: attributes
import bpy
setattr(bpy.context.scene.render, 'filepath', '/tmp/x')
