# expect: operators
import bpy
bpy.ops.clip.prefetch()
