# expect: operators
import bpy
bpy.ops.asset.catalog_new()
