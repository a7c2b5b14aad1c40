# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import re

pattern = re.compile(r"\.\d{3}$")
for i, obj in enumerate(bpy.context.selected_objects, start=1):
    base = re.sub(r"\.\d{3}$", "", obj.name)
    obj.name = "{}_{:03d}".format(base, i)
    if obj.data is not None:
        obj.data.name = obj.name
    print("%-20s %s" % (obj.name, obj.type))
