# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.evaluated_depsgraph_get().debug_stats_gnuplot('/x')
