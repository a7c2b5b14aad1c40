# expect: modules
import bpy
bpy.app.handlers.load_post.append(1)
