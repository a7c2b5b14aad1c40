# expect: operators
import bpy
bpy.ops.sound.pack()
