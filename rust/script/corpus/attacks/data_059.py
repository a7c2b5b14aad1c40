# expect: attributes
import bpy
bpy.context.object.data.background_images[0].clip.filepath
