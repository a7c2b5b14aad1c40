# expect: operators
import bpy
bpy.ops.object.load_reference_image()
