# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
i = bpy.data.images.new("x", 4, 4)
i.filepath_raw = "/tmp/sx_pwned.png"
i.save()
