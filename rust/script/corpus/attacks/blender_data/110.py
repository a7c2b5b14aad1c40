# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
i = bpy.data.images.new("x", 4, 4)
i.save_render("/tmp/sx_pwned.png")
