# expect: attributes
import bpy
bpy.context.scene.render.frame_path(frame=1)
