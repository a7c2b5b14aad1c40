# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
def describe(thing):
    match thing:
        case {"kind": "box", "size": (w, d, h)} if w > 0:
            return f"box {w}x{d}x{h}"
        case {"kind": "ball", "r": r, **rest}:
            return f"ball {r} {sorted(rest)}"
        case [x, y, *others]:
            return f"list {x} {y} {len(others)}"
        case str() as s:
            return s.upper()
        case int(n) | float(n):
            return f"num {n}"
        case None:
            return "none"
        case _:
            return type(thing).__name__
for t in ({"kind": "box", "size": (1, 2, 3)}, {"kind": "ball", "r": 2, "c": 1}, [1, 2, 3], "abc", 4.5, None, {1}):
    print(describe(t))
for o in bpy.data.objects:
    match o.type:
        case "MESH": o.location.z += 1
        case "LIGHT" | "CAMERA": o.hide_select = True
