# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
obj = bpy.data.objects["Cube"]
obj["width"] = 2.5
ui = obj.id_properties_ui("width")
ui.update(min=0.0, max=10.0, soft_max=5.0, description="Width of the wall", default=1.0)
obj["tags"] = ["a", "b"]
obj["size"] = (1, 2, 3)
obj["settings"] = {"depth": 3, "name": "x"}
print(obj["settings"]["depth"], list(obj["size"]), obj.get("missing", 7), sorted(k for k in obj.keys() if not k.startswith("_")))
del obj["tags"]
if "tags" not in obj:
    obj["settings"]["depth"] += 1
print(obj["settings"].to_dict(), ui.as_dict()["max"])
