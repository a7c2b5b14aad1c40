# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, re, textwrap, string
lines = []
for o in bpy.data.objects:
    if (n := len(o.name)) > 4 and (m := re.match(r"(?P<head>\w{2})", o.name)):
        lines.append(f"{o.name!r:>12}|{n:03d}|{m['head']:<4}|{o.location.x:+.2f}|{o.location.length:8.3e}|{'yes' if o.visible_get() else 'no':^5}")
print("\n".join(sorted(lines)))
w = 8
print(f"{3.14159:{w}.2f}{1234567:,}{0.25:%}{255:#x}{'a' * 3!s:*^7}{[i ** 2 for i in range(3)]}{{}}")
print(textwrap.dedent("""
    indented
      more
""").strip(), string.ascii_uppercase[:3], "%s-%03d-%.1f" % ("a", 5, 2.25), "{} {n:>4}".format(1, n="b"), "x".join("abc"), "Cube.001".rpartition("."))
while (k := len(lines)) > 1:
    lines.pop()
print(k, [y for x in (1, 2) if (y := x * 2) > 2], any((hit := v) > 3 for v in (1, 5, 7)), hit)
