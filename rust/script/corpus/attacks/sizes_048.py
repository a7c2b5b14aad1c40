# expect: bounds
import bpy
bpy.context.object.modifiers[0].render_levels = 12
