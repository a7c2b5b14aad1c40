# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and classes of a script where Python, numpy or Blender looks into them: what is stopped, what works."""

from __future__ import annotations

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting

FORGED = """
import numpy as np
def told(address): return {"shape": (1,), "typestr": "|O", "data": (address, True), "version": 3}
NAME = "_" + "_array_interface_" + "_"
"""
TAKING = """
taken = []
class Take:
    def __eq__(self, other):
        taken.append(other)
        return True
    def __ne__(self, other): return Take.__eq__(self, other)
    def __lt__(self, other): return Take.__eq__(self, other)
    def __hash__(self): return HASH
    def __or__(self, other): return Take.__eq__(self, other)
    def __ror__(self, other): return Take.__eq__(self, other)
    def __getitem__(self, key): return Take.__eq__(self, key)
take = Take()
def got():
    assert not taken, "TAKEN"
HASH = 1
"""
REFUSED = {
    "a memo": FORGED + "import copy\nclass H:\n    def __init__(self, d): self.abc = d\n"
    "print(np.asarray(copy.deepcopy(H(told(1)), {id('abc'): NAME})))",
    "a memo by its name": FORGED + "import copy\nfrom types import SimpleNamespace\n"
    "print(np.asarray(copy.deepcopy(SimpleNamespace(abc=told(1)), memo={id('abc'): NAME})))",
    "a memo by functools": FORGED + "import copy, functools\nfrom types import SimpleNamespace\n"
    "f = functools.partial(copy.deepcopy, memo={id('abc'): NAME})\nprint(np.asarray(f(SimpleNamespace(abc=told(1)))))",
    "a memo that is given": FORGED
    + "import copy\nclass A:\n    def __init__(self): self.abc = told(1)\n    def __deepcopy__(self, memo):\n"
    "        memo[id('abc')] = NAME\n        return copy.deepcopy(Inner(told(1)), memo)\n"
    "class Inner:\n    def __init__(self, d): self.abc = d\n"
    "print(np.asarray(copy.deepcopy(A())).item())\nassert vars_are_plain",
    "a memo in a chain": FORGED
    + "import copy\nfrom collections import ChainMap\nclass Inner:\n    def __init__(self, d): self.abc = d\n"
    "class A:\n    def __deepcopy__(self, memo):\n        ChainMap(memo)[id('abc')] = NAME\n"
    "        return copy.deepcopy(Inner(told(1)), memo)\n"
    "raise ValueError(copy.deepcopy(A()).abc['shape'])",
    "a slot by a computed name": FORGED + "class A:\n    __slots__ = (NAME,)\n",
    "a decorated class": FORGED
    + "from types import SimpleNamespace\ndef deco(c): return SimpleNamespace\n@deco\nclass Foo: pass\n"
    "n = SimpleNamespace()\nsuper(Foo, n).__init__(**{NAME: told(1)})",
    "the namespace's own method": FORGED
    + "from types import SimpleNamespace\nn = SimpleNamespace()\nSimpleNamespace.__init__(n, **{NAME: told(1)})",
    "Blender's object by a decorated class": "import bpy\nfrom types import SimpleNamespace\n"
    "def deco(c): return bpy.context.scene.__class__.__name__\n@deco\nclass Foo: pass\n"
    "s = bpy.context.scene\nprint(super(Foo, s).path_resolve('render.filepath'))",
    "a tree made anew": "from mathutils.kdtree import KDTree\nt = KDTree(1)\nt.__init__(2000000000)",
    "an array made anew": "import numpy as np\np = np.poly1d([1])\np.__init__([1, 2])",
    "the class of Blender's object, called": "import bpy\nfrom dataclasses import dataclass, fields\n"
    "@dataclass\nclass C:\n    x: bpy.types.MeshVertex = None\n"
    "for kind in (fields(C)[0].type,): kind(bpy.context.object)",
    "a class by self": "import bpy\ndef made(self): return self.__class__(bpy.context.object)\nmade(bpy.context.scene)",
    "a range by self": "def made(self): return self.__class__(10 ** 12)\nmade(range(3))",
    "==": TAKING + "take == type(range(3))\ngot()",
    "== the other way": TAKING + "type(range(3)) == take\ngot()",
    "!=": TAKING + "type(range(3)) != take\ngot()",
    "<": TAKING + "type(range(3)) > take\ngot()",
    "in": TAKING + "type(range(3)) in [int, take]\ngot()",
    "in a dict": TAKING.replace("HASH = 1", "HASH = hash(int)") + "type(1) in {take: 1}\ngot()",
    "in an own container": "class In:\n    def __contains__(self, one): raise ValueError('TAKEN')\ntype(1) in In()",
    "a chain": TAKING + "1 < 2 == type(range(3)) == take\ngot()",
    "an annotation with |": TAKING + "import bpy\nx: take | bpy.types.Object = 1\ngot()\nlen(1)",
    "isinstance with |": TAKING + "import bpy\nisinstance(1, take | bpy.types.Object)\ngot()",
    "isinstance of the script": "import bpy\ndef isinstance(x, kind): raise ValueError('TAKEN')\n"
    "isinstance(1, bpy.types.Object)",
    "print of the script": "def print(x): raise ValueError('TAKEN')\nprint(type(1))",
    "an enum of forged names": FORGED
    + "from enum import Enum\nclass E(Enum):\n    A = 1\n    def __init__(self, v): setattr(self, NAME, told(v))",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_open_the_memory_or_a_type_is_stopped(name: str) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with pytest.raises((core.CoreError, core.PolicyError)) as refused:
        scripting.run(REFUSED[name])
    assert "TAKEN" not in str(refused.value)


def test_numpy_takes_no_address_from_an_own_object_whatever_its_dictionary_has() -> None:
    from geonode_assistant.scripting import names
    from geonode_assistant.scripting.output import Output

    np = pytest.importorskip("numpy")
    table = names.table(frozenset(), Output())
    space = {"__name__": "script", "__builtins__": table}
    exec("class A: pass\na = A()\nclass B(A):\n    __slots__ = ()\nb = B()", space)
    held = (np.ones(1).__array_interface__, np.ones(1).__array_struct__, lambda *a, **k: np.ones(1))
    names_of = ("__array_interface__", "__array_struct__", "__array__")
    for thing in (space["a"], space["b"]):
        for name, value in zip(names_of, held, strict=True):
            thing.__dict__[name] = value
        assert np.asarray(thing).dtype == object


WORKING = """
import copy, bpy
from collections import ChainMap
from dataclasses import dataclass, field, fields
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import ClassVar, Optional
import numpy as np


class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.42e23, 3.39e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self):
        return 6.67e-11 * self.mass / self.radius ** 2


assert 9 < Planet.EARTH.gravity < 10 and Planet((6.42e23, 3.39e6)) is Planet.MARS


@dataclass(slots=True)
class Slim:
    x: int = 0
    ob: bpy.types.Object = None
    many: Optional[bpy.types.Object] = None
    either: bpy.types.Object | None = None
    KIND: ClassVar[int] = 3


s = Slim(2)
s.x += 1
assert s.x == 3 and [f.name for f in fields(Slim)] == ["x", "ob", "many", "either"] and fields(Slim)[0].type is int


class Base:
    made = {}

    def __init_subclass__(cls, **how):
        super().__init_subclass__(**how)
        Base.made[cls.__name__] = cls
        cls.kind = cls.__name__.lower()

    def __init__(self, name="", *rest, **more):
        super().__init__()
        self.name = name

    def __repr__(self):
        return f"<{self.name}>"

    def grown(self):
        return [self.name]

    @classmethod
    def make(cls, *args):
        return cls(*args)


class Mixin:
    def grown(self):
        return super().grown() + ["mixed"]


class Leaf(Mixin, Base):
    def __init__(self, name, size):
        super().__init__(name)
        self.size = size

    def __eq__(self, other):
        return type(other) == Leaf and type(self) == type(other) and self.size == other.size

    def __hash__(self):
        return hash(self.size)

    def grown(self):
        return super(Leaf, self).grown() + [self.size]

    def __deepcopy__(self, memo):
        new = Leaf(copy.deepcopy(self.name, memo), self.size)
        memo[id(self)] = new
        return new

    @classmethod
    def make(cls, *args):
        return super().make(*args)


leaf = Leaf.make("a", 3)
assert Leaf.kind == "leaf" and Base.made["Leaf"] is Leaf
assert leaf.grown() == ["a", "mixed", 3] and repr(leaf) == "<a>" and leaf == Leaf("b", 3) and leaf != 1
other = copy.deepcopy({"k": [leaf, leaf]})
assert other["k"][0] is other["k"][1] is not leaf and other["k"][0] == leaf
assert copy.deepcopy([1, [2]], {}) == [1, [2]] and copy.copy(leaf).name == "a"
assert copy.deepcopy(SimpleNamespace(a=[1])).a == [1]


class Broken(ValueError):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code

    def __str__(self):
        return self.args[0] + str(self.code)


class Older(Exception):
    def __init__(self, text):
        Exception.__init__(self, text)


assert str(Broken("a", 1)) == "a1" and str(Older("x")) == "x"
try:
    copy.deepcopy({"o": bpy.context.scene})
except TypeError:
    pass


def kind_of(x):
    if type(x) == int or type(x) in (float, complex) or type(x) in {str: 1, list: 2}:
        return "plain"
    if type(x) == type(leaf) or type(x) != np.float64 and type(x) is not np.ndarray:
        return type(x).__name__
    return "numpy"


assert [kind_of(x) for x in (1, 1.5, "a", leaf, np.float64(1), np.ones(2))] == [
    "plain", "plain", "plain", "Leaf", "numpy", "numpy"]
assert isinstance(bpy.context.scene, bpy.types.Scene | bpy.types.Object) and isinstance(1, int | None)
for kind in (int, float, Leaf.make, list, np.float32, SimpleNamespace, dict, Exception):
    kind("1", 2) if kind == Leaf.make else kind()
TABLE = {"list": list, "leaf": Leaf}
assert TABLE["list"]("ab") == ["a", "b"] and TABLE["leaf"]("n", 1).size == 1
assert np.asarray([leaf, leaf]).dtype == object and np.array(leaf).shape == ()


def singleton(cls):
    held = []

    def one(*args):
        if not held:
            held.append(cls(*args))
        return held[0]
    return one


@singleton
class Config:
    def __init__(self):
        self.x = 1


assert Config() is Config()

print(bpy.context.scene.__class__.__name__, "fine")
"""


def test_what_scripts_ordinarily_do_with_classes_works() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert scripting.run(WORKING).stdout.endswith("Scene fine\n")


def test_a_number_of_an_object_does_not_tell_where_it_is() -> None:
    found = scripting.execute(
        """
import bpy
class A: pass
class B:
    def __hash__(self): return 7
a, o = A(), bpy.data.objects[0]
told = hash(a), hash(o), hash(len)
same = hash(a) == hash(a) and hash(bpy.data.objects[0]) == hash(o) and hash("x") in {hash("x")} and hash(B()) == 7
same = same and hash((1, 2)) == hash((1, 2)) and hash(5) == 5 and {a: 1}[a] == 1
"""
    ).namespace
    assert found["same"] and not {hash(found[name]) for name in "ao"} & set(found["told"])
