# expect: operators
import bpy
bpy.ops.ptcache.bake_all()
