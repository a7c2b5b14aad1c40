# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
from enum import IntEnum
class N(IntEnum):
    A = 2 * 10**9
bpy.data.meshes.new("m").vertices.add(N.A)
