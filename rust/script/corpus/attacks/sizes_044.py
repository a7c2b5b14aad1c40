# expect: bounds
import bpy
setattr(bpy.context.object.modifiers[0], 'levels', 20)
