# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
class A(bpy.data.foo): pass
bpy.foo
