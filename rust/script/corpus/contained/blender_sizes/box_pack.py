# SPDX-License-Identifier: GPL-3.0-or-later
from mathutils.geometry import box_pack_2d
box_pack_2d([[0, 0, 1, 1]] * 100000)
