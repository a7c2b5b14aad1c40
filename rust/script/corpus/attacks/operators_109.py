# expect: operators
import bpy
bpy.ops.scene.delete()
