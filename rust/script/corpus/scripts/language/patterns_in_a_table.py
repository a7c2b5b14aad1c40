# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, re
RULES = [(r"^Cube", "Box"), (r"\.(\d{3})$", r"_\1"), (r"\s+", "_")]
compiled = [(re.compile(p), r) for p, r in RULES]
for ob in bpy.data.objects:
    n = ob.name
    for pat, rep in compiled:
        n = pat.sub(rep, n)
    ob.name = n
    for p, r in RULES:
        n = re.sub(p, r, n)
print([o.name for o in bpy.data.objects])
SUFFIX = {"L": "R", "R": "L"}
for side in SUFFIX:
    if re.search(rf"[._]{side}$", "hand.L"):
        print("side", side)
word = "Light"
print(bool(re.match(word, "Lighting")), re.findall("[A-Z]" + "[a-z]+", "TwoWords"))
