# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
bpy.ops.wm.context_collection_boolean_set(data_path_iter="selected_objects", data_path_item="hide_viewport", type='TOGGLE')
