# expect: operators
import bpy
bpy.ops.cachefile.open()
