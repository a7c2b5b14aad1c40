# expect: operators
import bpy
bpy.ops.extensions.userpref_allow_online()
