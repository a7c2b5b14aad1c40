# expect: attributes
import bpy
bpy.context.object.library.filepath
