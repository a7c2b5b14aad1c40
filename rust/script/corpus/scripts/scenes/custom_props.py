# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, json
ob = bpy.context.object or bpy.context.scene.objects[0] if bpy.context.scene.objects else None
if ob is None:
    bpy.ops.object.empty_add()
    ob = bpy.context.object
ob["health"] = 100
ob["speed"] = 1.5
ob["tags"] = ["enemy", "boss"]
ob["offset"] = (0.0, 1.0, 2.0)
ob["config"] = {"ai": "patrol", "range": 12.5}
ui = ob.id_properties_ui("speed")
ui.update(min=0.0, max=10.0, soft_max=5.0, description="Walking speed")
del ob["tags"]
if "health" in ob.keys():
    ob["health"] -= 10
data = {k: (v.to_dict() if hasattr(v, "to_dict") else list(v) if hasattr(v, "to_list") else v) for k, v in ob.items()
        if k not in {"_RNA_UI", "cycles"}}
print(json.dumps({k: v for k, v in data.items() if isinstance(v, (int, float, str, dict, list))}, indent=2, sort_keys=True))
back = json.loads('{"a": [1, 2, {"b": null}]}')
ob["parsed"] = len(back["a"])
