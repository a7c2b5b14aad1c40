# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

rows = []
for ob in sorted(bpy.data.objects, key=lambda o: (o.type, o.name.lower())):
    dims = " x ".join(f"{d:.2f}" for d in ob.dimensions)
    rows.append((ob.name, ob.type, dims))
width = max(len(r[0]) for r in rows)
print("=" * (width + 30))
for name, kind, dims in rows:
    print(name.ljust(width), kind.rjust(8), dims)
print("{:>10}: {:5.1f}%".format("done", 100.0))
print("%s has %d objects" % (bpy.context.scene.name, len(rows)))
print(f"{'centre':^20}|{1234567:,}|{255:#x}|{0.000123:.2e}")
