# expect: operators
import bpy
bpy.ops.export_scene.fbx()
