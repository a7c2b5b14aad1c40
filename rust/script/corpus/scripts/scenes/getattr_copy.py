# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

source, *targets = bpy.context.selected_objects or [None]
for target in targets:
    for prop in ("location", "rotation_euler", "scale", "hide_render"):
        setattr(target, prop, getattr(source, prop))
    for name in source.keys():
        target[name] = source[name]
