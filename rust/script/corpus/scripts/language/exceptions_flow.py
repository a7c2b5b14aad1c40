# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
class BuildError(Exception):
    def __init__(self, what, code=1):
        super().__init__(f"cannot build {what}")
        self.code = code
def build(name):
    if not name:
        raise BuildError("nothing", code=7)
    try:
        return bpy.data.objects[name]
    except KeyError as error:
        raise BuildError(name) from error
log = []
for n in ("Cube", "", "Nope"):
    try:
        ob = build(n)
    except BuildError as e:
        log.append((str(e), e.code, type(e).__name__, e.args[0][:6]))
    except (TypeError, ValueError):
        raise
    else:
        log.append(ob.name)
    finally:
        log.append("-")
print(log)
try:
    bpy.ops.object.mode_set(mode="SCULPT_NOPE")
except TypeError:
    print("bad enum")
try:
    bpy.data.objects["Cube"].location = "abc"
except (TypeError, ValueError) as e:
    print(type(e).__name__)
try:
    bpy.context.scene.frame_current = 1.5
except TypeError as e:
    print("int")
try:
    int("x")
except ValueError as e:
    print(e)
try:
    [][1]
except IndexError as e:
    print(repr(e))
try:
    bpy.data.objects["Cube"].nothing_like_this
except AttributeError as e:
    print(e)
assert log, "empty"
