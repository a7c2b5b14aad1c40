# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.preferences.script_directory_add(directory="/tmp")
