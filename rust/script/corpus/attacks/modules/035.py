# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
bpy.app.icons.release(1)
