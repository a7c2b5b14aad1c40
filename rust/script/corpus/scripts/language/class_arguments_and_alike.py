# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy


class Part:
    kinds = {}

    def __init_subclass__(cls, tag="", size=1.0, **more):
        super().__init_subclass__(**more)
        Part.kinds[tag or cls.__name__] = cls
        cls.size = size

    def make(self):
        bpy.ops.mesh.primitive_cube_add(size=self.size)
        bpy.context.object.name = type(self).__name__
        return type(self)()


class Knob(Part, tag="knob", size=0.5):
    pass


class Rod(Part, size=2 * Knob.size + 1):
    pass


settings = {"rows": 3, "gap": 1.5, "name": "x", "dense": True}
for word in ("rows=4", "gap=2", "name=y"):
    key, _, value = word.partition("=")
    settings[key] = type(settings[key])(value)
one = bpy.context.object.location
copied = type(one)((1, 2, 3))
print([type(made.make()).__name__ for made in (kind() for kind in Part.kinds.values())], settings, copied)
