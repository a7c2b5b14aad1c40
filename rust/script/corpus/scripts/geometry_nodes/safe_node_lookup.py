# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from typing import Any, Callable, Dict, Optional, Union

Socket = Union[int, str]

class NodeTreeBuilder:
    """Fluent helper around a node tree."""
    def __init__(self, tree: bpy.types.NodeTree):
        self.tree = tree
        self._x = 0
        self._cache: Dict[str, bpy.types.Node] = {}

    def add(self, idname: str, label: Optional[str] = None, **inputs: Any) -> "NodeTreeBuilder":
        node = self.tree.nodes.new(idname)
        node.location = (self._x, 0)
        self._x += 220
        if label:
            node.label = node.name = label
        for k, v in inputs.items():
            key = k.replace("_", " ").title()
            sock = node.inputs.get(key)
            if sock is not None:
                sock.default_value = v
        self._cache[label or idname] = node
        return self

    def link(self, a: str, out: Socket, b: str, inp: Socket) -> "NodeTreeBuilder":
        self.tree.links.new(self._cache[a].outputs[out], self._cache[b].inputs[inp])
        return self

    def each(self, fn: Callable[[bpy.types.Node], None]):
        for n in self.tree.nodes:
            fn(n)
        return self

    def __getitem__(self, key): return self._cache[key]
    def __enter__(self): return self
    def __exit__(self, *exc): return None

mat = bpy.data.materials.new("Fluent")
mat.use_nodes = True
mat.node_tree.nodes.clear()
with NodeTreeBuilder(mat.node_tree) as b:
    (b.add("ShaderNodeTexVoronoi", "cells", scale=8.0)
      .add("ShaderNodeBsdfPrincipled", "bsdf", roughness=0.4)
      .add("ShaderNodeEmission", "glow", strength=5.0)
      .add("ShaderNodeMixShader", "mix")
      .add("ShaderNodeOutputMaterial", "out")
      .link("cells", "Color", "bsdf", "Base Color")
      .link("cells", "Distance", "mix", 0)
      .link("bsdf", 0, "mix", 1)
      .link("glow", 0, "mix", 2)
      .link("mix", 0, "out", "Surface")
      .each(lambda n: setattr(n, "use_custom_color", True)))
print(b["mix"].name, len(mat.node_tree.links))
