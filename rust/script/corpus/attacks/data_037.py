# expect: attributes
import bpy
bpy.context.scene.path_resolve('x')
