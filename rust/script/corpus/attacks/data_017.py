# expect: attributes
import bpy
bpy.data.images['x'].save_render('/tmp/x.png')
