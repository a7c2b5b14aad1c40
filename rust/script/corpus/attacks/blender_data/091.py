# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
class A:
    filepath = 1
    def f(self):
        return bpy.context.scene.render.filepath
