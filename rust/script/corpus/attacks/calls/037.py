# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
from functools import partial
f = partial(getattr, bpy.ops.wm)
f("save_as" + "_mainfile")(filepath="/tmp/x.blend")
