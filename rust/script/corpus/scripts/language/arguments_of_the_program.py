# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, sys
given = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
count = int(given[0]) if given else 3
if sys.version_info >= (3, 10) and sys.version_info.major == 3:
    print(sys.platform != "", sys.version.split()[0] != "")
for i in range(count):
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(i, 0, 0))
