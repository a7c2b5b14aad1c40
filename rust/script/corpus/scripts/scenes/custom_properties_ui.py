# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.context.object
ob["quality"] = 0.75
ob["tags"] = ["hero", "final"]
ob["settings"] = {"seed": 3, "on": True}
ui = ob.id_properties_ui("quality")
ui.update(min=0.0, max=1.0, soft_min=0.0, soft_max=1.0, description="How fine")
for k in sorted(ob.keys()):
    v = ob[k]
    print(k, v.to_dict() if hasattr(v, "to_dict") else list(v) if hasattr(v, "__len__") and not isinstance(v, str) else v)
del ob["tags"]
print("tags" in ob, ob.get("missing", "none"))
