# expect: modules
import bpy
bpy.app.translations.register('x', {})
