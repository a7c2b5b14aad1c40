# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
op = bpy.ops.object.select_all
op('INVOKE_DEFAULT')
