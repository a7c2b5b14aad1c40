# SPDX-License-Identifier: GPL-3.0-or-later
from mathutils.kdtree import KDTree
KDTree(2 * 10**9)
