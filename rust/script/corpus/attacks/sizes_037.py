# expect: bounds
import bpy
mod = bpy.context.object.modifiers.new('s', 'SUBSURF')
mod.levels = 14
