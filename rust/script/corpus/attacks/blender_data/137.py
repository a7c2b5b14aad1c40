# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
for l in bpy.data.libraries:
    l.filepath = "/etc/x"
    l.reload()
