# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
i = bpy.data.images.new("a", 4, 4)
i.source = 'FILE'
i.filepath = "//server/share/x.png"
i.reload()
