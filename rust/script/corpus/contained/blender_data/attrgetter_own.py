# SPDX-License-Identifier: GPL-3.0-or-later
from operator import attrgetter
class A:
    filepath = 1
import bpy
print(attrgetter("render.filepath")(bpy.context.scene))
