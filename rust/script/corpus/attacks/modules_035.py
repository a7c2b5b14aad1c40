# expect: modules
import bpy
h = bpy.app.handlers
