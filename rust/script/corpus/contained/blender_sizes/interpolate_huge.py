# SPDX-License-Identifier: GPL-3.0-or-later
from mathutils.geometry import interpolate_bezier
interpolate_bezier((0, 0), (1, 0), (1, 1), (0, 1), 10**9)
