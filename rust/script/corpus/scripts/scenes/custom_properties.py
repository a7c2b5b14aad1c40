# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import json

obj = bpy.context.object
obj["price"] = 12.5
obj["spec"] = json.dumps({"size": list(obj.dimensions), "kind": obj.type})
ui = obj.id_properties_ui("price")
ui.update(min=0.0, max=1000.0, description="Price of the part")
for key in obj.keys():
    print(key, obj.get(key))
del obj["spec"]
