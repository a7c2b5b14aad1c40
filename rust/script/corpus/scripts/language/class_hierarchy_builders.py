# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
class Builder:
    registry = {}
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Builder.registry[cls.__name__.lower()] = cls
    def __init__(self, name, **options):
        self.name = name
        self.options = {**self.defaults(), **options}
    def defaults(self): return {}
    def __enter__(self): return self
    def __exit__(self, *a): return False
class Ball(Builder):
    def defaults(self): return {"radius": 1.0}
    def build(self):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=self.options["radius"])
        bpy.context.object.name = self.name
        return bpy.context.object
class Tube(Builder):
    def defaults(self): return {"radius": 0.5, "depth": 2}
    def build(self):
        bpy.ops.mesh.primitive_cylinder_add(vertices=12, **self.options)
        bpy.context.object.name = self.name
        return bpy.context.object
for kind, opts in (("ball", {"radius": 0.3}), ("tube", {})):
    with Builder.registry[kind](kind.title(), **opts) as b:
        print(b.build().name, sorted(b.options.items()))
