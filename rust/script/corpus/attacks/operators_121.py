# expect: operators
import bpy
bpy.ops.paint.image_from_view()
