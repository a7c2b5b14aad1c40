# expect: attributes
import bpy
bpy.context.object.override_hierarchy_create(1, 2)
