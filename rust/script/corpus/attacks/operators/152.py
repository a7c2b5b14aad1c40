# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
bpy.ops.wm.context_set_value(data_path="scene.name", value="__import__('os').system('touch /tmp/sx_pwned')")
