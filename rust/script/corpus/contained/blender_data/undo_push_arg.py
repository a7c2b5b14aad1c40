# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for i in range(100):
    bpy.ops.object.select_all("EXEC_DEFAULT", True, action="SELECT")
