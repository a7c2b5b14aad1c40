# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
getattr(bpy.context.object, "driver_" + "add")("location")
