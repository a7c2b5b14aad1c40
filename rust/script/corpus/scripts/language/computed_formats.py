# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
width = 12
rows = [(one.name, one.location.length) for one in bpy.data.objects]
template = "%-" + str(width) + "s %6.2f"
for row in sorted(rows):
    print(template % (row[0], row[1]))
    print("{:<{w}} {:>{w}.{p}f}".format(*row, w=width, p=3), f"{row[1]:>{width}.{3}f}")
