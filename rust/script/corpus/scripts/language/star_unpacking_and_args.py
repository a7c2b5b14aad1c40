# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

def place(name, *coords, parent=None, **options):
    x, y, *rest = coords
    z = rest[0] if rest else 0
    e = bpy.data.objects.new(name, None)
    e.location = (x, y, z)
    e.parent = parent
    e.empty_display_type = options.get("display", 'PLAIN_AXES')
    e.show_name = options.pop("show", False)
    bpy.context.collection.objects.link(e)
    return e

root = place("root", *(0, 0))
first, *middle, last = [place(f"p{i}", i, i * 2, i * 3, parent=root, **{"display": 'CUBE', "show": True}) for i in range(4)]
print(first.name, [m.name for m in middle], last.name, [*range(3), *"ab"], {**{"a": 1}, "b": 2})
