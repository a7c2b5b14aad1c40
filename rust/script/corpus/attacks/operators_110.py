# expect: operators
import bpy
bpy.ops.ui.copy_data_path_button()
