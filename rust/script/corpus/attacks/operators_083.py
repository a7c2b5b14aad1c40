# expect: operators
import bpy
bpy.ops.import_scene.gltf()
