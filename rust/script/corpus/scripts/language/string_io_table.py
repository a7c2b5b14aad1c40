# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
rows = [("Name", "Type", "Verts")] + [(o.name, o.type, str(len(o.data.vertices)) if o.type == "MESH" else "-") for o in sorted(bpy.data.objects, key=lambda o: o.name)]
widths = [max(map(len, col)) for col in zip(*rows)]
for i, row in enumerate(rows):
    print(" | ".join(cell.ljust(w) for cell, w in zip(row, widths)))
    if not i:
        print("-+-".join("-" * w for w in widths))
