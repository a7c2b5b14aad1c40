# expect: modules
import bpy
bpy.app.tempdir
