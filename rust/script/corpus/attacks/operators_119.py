# expect: operators
import bpy
bpy.ops.cycles.denoise_animation()
