# expect: bounds
import bpy
mod = bpy.context.object.modifiers.new('a', 'ARRAY')
mod.count = 10**8
