# expect: operators
import bpy
map(bpy.ops.object.select_all, [1])
