# expect: operators
import bpy
bpy.ops.node.viewer_shortcut_set()
