# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
class A:
    filepath = ""
for n in dir(bpy.context.scene.render):
    if n.startswith("filep"):
        setattr(bpy.context.scene.render, n, "/tmp/out")
