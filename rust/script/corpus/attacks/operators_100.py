# expect: operators
import bpy
bpy.ops.sequencer.sound_strip_add()
