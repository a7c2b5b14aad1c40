# expect: modules
import bpy
bpy.app.timers.register(print)
