# expect: attributes
import bpy
bpy.data.workspaces[0].owner_ids
