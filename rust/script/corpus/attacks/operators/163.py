# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.cachefile.open(filepath="/tmp/x.abc")
