# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    preferences = 1
import bpy
A.preferences
bpy.context.preferences
