# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, re
pattern = re.compile(r"^(?P<base>.+?)(?:\.(?P<num>\d{3}))?$")
for i in range(3):
    bpy.data.objects.new("Rock", None)
groups = {}
for o in bpy.data.objects:
    m = pattern.match(o.name)
    groups.setdefault(m.group("base"), []).append(int(m.group("num") or 0))
print(groups["Rock"], re.sub(r"(\w+)\.(\d+)", lambda m: f"{m[1]}_{int(m[2])}", "Rock.001"), re.findall(r"[A-Z]", "aBcD"), re.split(r"[,;]\s*", "a, b;c"))
print("Wall_01".replace("_", " ").title(), "abc".center(7, "-"), "a-b".split("-", 1), "x".zfill(3), "Tree".startswith(("Tr", "Ro")), "%5.2f" % 3.14159, "ß".upper(), "tEST".swapcase(), "a\tb".expandtabs(4), "abc"[::-1], "b" * 3, sorted("hello", key=str.lower), "Straße".casefold(), "a,b".partition(","), str(b"ab", "utf-8"), "é".encode("utf-8"), "abc".translate(str.maketrans("ab", "xy")), ord("a"), chr(98))
