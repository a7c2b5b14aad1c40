# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, json
report = {
    "frame": bpy.context.scene.frame_current,
    "objects": [
        {"name": o.name, "type": o.type, "loc": [round(c, 2) for c in o.location], "mods": [m.type for m in o.modifiers], "mats": [s.material.name for s in o.material_slots if s.material]}
        for o in sorted(bpy.data.objects, key=lambda o: o.name)
    ],
}
text = json.dumps(report, indent=2, sort_keys=True)
again = json.loads(text)
print(again["objects"][1]["name"], len(text) > 100, json.dumps([1, None, True], separators=(",", ":")))
