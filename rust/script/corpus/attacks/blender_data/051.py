# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.object.modifiers['Fluid'].domain_settings.cache_directory = '/x'
