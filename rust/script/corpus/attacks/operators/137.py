# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
from bpy import ops
ops.wm.quit_blender()
