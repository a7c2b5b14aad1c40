# expect: attributes
import bpy
(lambda d: d.libraries)(bpy.data)
