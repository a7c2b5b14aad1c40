# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
bpy.app.handlers.load_post.append(1)
