# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

bpy.context.window_manager.path_resolve("keyconfigs")
