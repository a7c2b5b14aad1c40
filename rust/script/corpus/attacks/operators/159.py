# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.script.python_file_run(filepath="/tmp/x.py")
