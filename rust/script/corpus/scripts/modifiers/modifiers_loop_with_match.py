# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.context.object
specs = [("BEVEL", {"width": 0.02, "segments": 3}), ("SUBSURF", {"levels": 2, "render_levels": 3}), ("SOLIDIFY", {"thickness": 0.1}), ("WIREFRAME", {})]
for kind, props in specs:
    m = ob.modifiers.new(kind.title(), kind)
    match kind:
        case "BEVEL":
            m.width = props["width"]
            m.segments = props["segments"]
        case "SUBSURF":
            m.levels, m.render_levels = props["levels"], props["render_levels"]
        case "SOLIDIFY":
            m.thickness = props["thickness"]
        case _:
            m.show_viewport = False
print([m.type for m in ob.modifiers])
