# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
bpy.types.Panel.__subclasses__()
