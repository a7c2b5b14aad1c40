# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
from functools import total_ordering
total_ordering(bpy.types.Object)
