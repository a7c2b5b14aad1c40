# expect: operators
import bpy
bpy.ops.ui.reports_to_textblock()
