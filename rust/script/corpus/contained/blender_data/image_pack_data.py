# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
i = bpy.data.images.new("x", 4, 4)
i.pack(data=b"x", data_len=1)
