# expect: operators
import bpy
bpy.ops.sound.mixdown()
