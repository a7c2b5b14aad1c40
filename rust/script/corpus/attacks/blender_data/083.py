# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
(lambda d: d.libraries)(bpy.data)
