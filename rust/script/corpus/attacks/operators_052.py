# expect: operators
import bpy
bpy.ops.screen.animation_play()
