# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
class A:
    def save(self): pass
n = "save"
getattr(bpy.data.images.new("a", 4, 4), n)()
