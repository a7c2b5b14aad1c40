# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
bpy.ops.ui.copy_data_path_button()
