# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
from bpy.types import Object
T = Object
