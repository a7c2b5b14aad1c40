# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
parts = []
for i in range(5000):
    parts.append(f"{i:05d},{i * i % 97:>3}")
table = ";".join(parts)
while len(table) < 100_000:
    table += "#" * 1000
digits = str(2 ** 2000)
mask = 1 << 40
rows = [r.split(",") for r in table.rstrip("#").split(";")]
values = [int(b) for _, b in rows]
hist = {v: values.count(v) for v in sorted(set(values))[:10]}
ob = bpy.context.object
ob["digits"] = len(digits)
ob["mask"] = bin(mask).count("1")
ob["hist"] = str(hist)[:60]
print(len(table), "chars", "-" * 40, hist, sep="\n", end="\n\n")
