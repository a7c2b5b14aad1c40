# expect: operators
import bpy
bpy.ops.image.save()
