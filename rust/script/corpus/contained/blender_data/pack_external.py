# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
for i in bpy.data.images:
    i.pack(data=b"x", data_len=10**6)
