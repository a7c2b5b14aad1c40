# expect: attributes
import bpy
bpy.context.window.event_simulate('A', 'PRESS')
