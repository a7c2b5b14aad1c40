# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
class BuildError(Exception):
    """Raised when the scene is not usable."""
    def __init__(self, msg, code=0):
        super().__init__(msg)
        self.code = code
class MissingObject(BuildError): pass
def require(name):
    ob = bpy.data.objects.get(name)
    if ob is None:
        raise MissingObject(f"{name!r} not found", code=404)
    return ob
errors = []
for n in ("Cube", "Nope", "Also no"):
    try:
        ob = require(n)
    except MissingObject as e:
        errors.append((str(e), e.code))
    except TypeError as e:
        errors.append((type(e).__name__, None))
    else:
        ob.location.z += 1
    finally:
        errors.append("done")
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise BuildError("wrapped") from e
except BuildError as e:
    print("cause:", repr(e.__cause__))
print(errors)
