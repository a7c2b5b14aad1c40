# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
p = bpy.context.copy()["preferences"]
