# expect: operators
import bpy
bpy.ops.image.external_edit()
