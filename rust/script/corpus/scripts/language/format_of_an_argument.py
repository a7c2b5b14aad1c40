# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
wm = bpy.context.window_manager

wm.progress_begin(0, 10)
for i in range(10):
    wm.progress_update(i)
wm.progress_end()
def report(msg, *args, level="INFO", **kw):
    print("[{}] {}".format(level, msg.format(*args, **kw)))
report("{} objects in {scene}", len(bpy.data.objects), scene=bpy.context.scene.name)
text = "{0:>10}|{1:<10}"
print(text.format("a", "b"))
line = " | ".join("{:^{}}".format(c, 12) for c in ("x", "y"))
print(line)
