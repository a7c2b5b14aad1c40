# expect: operators
import bpy
bpy.ops.object.multires_external_save()
