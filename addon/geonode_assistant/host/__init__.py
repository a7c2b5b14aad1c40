# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's data: the only code that touches ``bpy.data`` and ``bpy.ops``."""
