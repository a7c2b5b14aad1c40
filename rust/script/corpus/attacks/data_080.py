# expect: attributes
import bpy
bpy.data.batch_remove.__self__
