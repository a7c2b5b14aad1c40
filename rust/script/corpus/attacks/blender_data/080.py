# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
def f(d):
    return d.libraries
f(bpy.data)
