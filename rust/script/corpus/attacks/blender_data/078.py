# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from bpy import context as C
C.preferences
