# expect: operators
import bpy
bpy.ops.sequencer.movie_strip_add()
