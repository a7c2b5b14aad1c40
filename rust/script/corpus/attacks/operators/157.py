# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
bpy.ops.wm.properties_edit(data_path="object", property_name="x", property_type='PYTHON', eval_string="__import__('os').system('touch /tmp/sx_pwned')")
