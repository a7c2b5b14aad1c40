# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
import bpy
class A(bpy.types.Panel):
    pass
