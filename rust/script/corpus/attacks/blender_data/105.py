# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
t = bpy.data.texts.new("x.py")
t.write("import os")
t.as_module()
