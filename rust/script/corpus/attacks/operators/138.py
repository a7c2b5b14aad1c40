# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
from bpy import ops as o
o.wm.save_mainfile(filepath='/tmp/x.blend')
