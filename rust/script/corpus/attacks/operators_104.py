# expect: operators
import bpy
bpy.ops.font.text_paste_from_file()
