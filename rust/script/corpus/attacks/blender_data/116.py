# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
v = bpy.data.volumes.new("v")
v.filepath = "/etc/passwd"
