# expect: attributes
import bpy
bpy.context.scene.view_layers[0].update_render_passes()
