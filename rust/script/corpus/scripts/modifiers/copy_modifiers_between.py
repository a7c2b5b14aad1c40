# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
src = bpy.data.objects["Cube"]
src.modifiers.new("Bevel", "BEVEL").segments = 2
src.modifiers.new("Wire", "WIREFRAME").thickness = 0.1
dst = bpy.data.objects.new("Copy", src.data.copy())
bpy.context.collection.objects.link(dst)
for m in src.modifiers:
    n = dst.modifiers.new(m.name, m.type)
    for prop in m.bl_rna.properties:
        if not prop.is_readonly and prop.identifier not in {"rna_type", "name", "type"}:
            try:
                setattr(n, prop.identifier, getattr(m, prop.identifier))
            except (AttributeError, TypeError):
                pass
print([(m.type, m.show_viewport) for m in dst.modifiers], dst.modifiers["Bevel"].segments)
