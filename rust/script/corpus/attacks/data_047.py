# expect: attributes
import bpy
bpy.context.scene.sequence_editor
