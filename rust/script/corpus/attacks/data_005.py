# expect: attributes
import bpy
bpy.context.window_manager.event_timer_add(1)
