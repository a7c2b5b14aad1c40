# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of a script that derive from Python's data, and the class of an object: what they may do, and what not."""

from __future__ import annotations

import geonode_core as core
import pytest
from geonode_assistant import scripting

USEFUL = """
import random
from contextlib import ExitStack, contextmanager
from dataclasses import InitVar, dataclass
from enum import Enum
from functools import lru_cache

class Bag(dict):
    def add(self, key):
        self[key] = self.get(key, 0) + 1
        return self
    def __missing__(self, key):
        return -1

class Path(list):
    def __init__(self, *points):
        super().__init__(points)
        self.closed = False
    def length(self):
        return sum(abs(b - a) for a, b in zip(self, self[1:]))

class Metres(float):
    def __repr__(self):
        return f"{float(self)} m"
    @property
    def half(self):
        return Metres(self / 2)

class Word(str):
    def shout(self):
        return self.upper() + "!"
    def __str__(self):
        return "{0.real}"

class Even(set):
    def put(self, number):
        if number % 2 == 0:
            self.add(number)

class Mode(str, Enum):
    FAST = "fast"

class Part:
    count = 0
    def __init__(self, size=1):
        self.size = size
        self.__class__.count += 1
    def clone(self):
        return self.__class__(self.size * 2)

@dataclass
class Scaled:
    factor: InitVar[int]
    size: int = 0
    def __post_init__(self, factor):
        self.size = factor * 2

@lru_cache(None)
def square(x):
    return x * x

said = []

@contextmanager
def saying(name):
    said.append("in " + name)
    yield name
    said.append("out " + name)

bag = Bag().add("a").add("a")
path = Path(1, 4, 2)
path.append(3)
path[0] += 1
even = Even()
even.put(1)
even.put(2)
square(2), square(2)
with ExitStack() as stack:
    names = [stack.enter_context(saying(name)) for name in "ab"]
    stack.callback(said.append, "called")
try:
    with ExitStack() as stack:
        stack.callback(said.append, "in spite of it")
        raise ValueError("x")
except ValueError as error:
    said.append(str(error))
random.seed(1)
found = [dict(bag), bag["b"], list(path), path.length(), path.closed, str(Metres(3).half), len(even)]
found += [Word("a").shout(), Mode.FAST == "fast", Mode.FAST.value]
found += [Part(2).clone().size, Part.count, Scaled(3).size, square.cache_info().hits, names, said]
found += [random.getrandbits(16) < 65536]
"""


def test_classes_that_derive_from_data_are_useful() -> None:
    found = scripting.run(USEFUL).namespace["found"]
    said = ["in a", "in b", "called", "out b", "out a", "in spite of it", "x"]
    assert found[:7] == [{"a": 2}, -1, [2, 4, 2, 3], 5, False, "1.5 m", 1]
    assert found[7:] == ["A!", True, "fast", 4, 2, 6, 1, ["a", "b"], said, True]


DEFINING = "class A({0}):\n    def {1}(self, *args): return 0\n"
ATTACKS = {
    **{
        f"a {base} with its own {name}": (DEFINING.format(base, name), f"may not define {name}")
        for base, name in (
            ("list", "__len__"),
            ("list", "__iter__"),
            ("list", "sort"),
            ("dict", "__getitem__"),
            ("dict", "keys"),
            ("set", "__contains__"),
            ("float", "__gt__"),
            ("int", "__add__"),
            ("str", "startswith"),
        )
    },
    "a list, later": ("class A(list):\n    pass\nA.sort = lambda *a, **k: 0", "is not allowed to be set"),
    "a list, by its instance": ("class A(list):\n    pass\nA().sort = lambda *a, **k: 0", "is not allowed to be set"),
    "a list, by a class behind it": (
        "class M:\n    pass\nclass A(M, list):\n    pass\nM.sort = lambda *a, **k: 0",
        "is not allowed to be set",
    ),
    "a list, by a class before it": (
        "class M:\n    def sort(self): return 0\nclass A(M, list):\n    pass",
        "may not define sort",
    ),
    "a path that is a text of an own class": (
        "import bpy\nclass S(str):\n    pass\nbpy.context.scene.keyframe_insert(S('render.filepath'))",
        "'filepath'",
    ),
    "a path that is an enum": (
        "import bpy\nfrom enum import StrEnum\nclass S(StrEnum):\n    A = 'render.filepath'\n"
        "bpy.context.scene.keyframe_insert(S.A)",
        "'filepath'",
    ),
    "a number of digits of an own class": (
        "class N(int):\n    pass\nround(5, N(-10 ** 8))",
        "has no meaning",
    ),
    "a format of an own class": (
        "class S(str):\n    def __str__(self): return '{}'\nS('{0.real}').format(1)",
        "can reach any attribute",
    ),
    "the class of a class": (
        "class A:\n    pass\ndef f(self): return self.__class__('B', (), {})\nf(A)",
        "__class__ is not allowed",
    ),
    "what the class of a class has": (
        "class A:\n    pass\ndef f(self): return self.__class__.name\nf(A)",
        "__class__ is not allowed",
    ),
    "the class of an array": (
        "import numpy as np\ndef f(self): return self.__class__((1,), object, np.zeros(1), 0, (8,))\nf(np.zeros(1))",
        "buffer|takes|not allowed",
    ),
    "the class of what Blender has": (
        "import bpy\ndef f(self): self.__class__.name = 1\nf(bpy.context.object)",
        "is not allowed to be set",
    ),
    "a stack of an own class": (
        "from contextlib import ExitStack\ndef f(c): return ExitStack\n@f\nclass F: pass\nclass S(F): pass",
        "derive",
    ),
    "many bits": ("import random\nrandom.getrandbits(10 ** 10)", "too much memory"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_guards_look_at_stays_as_c_has_it(name: str) -> None:
    source, says = ATTACKS[name]
    with pytest.raises((core.CoreError, core.PolicyError), match=says):
        scripting.run(source)


def test_a_stack_does_not_keep_a_stopped_script_alive() -> None:
    source = (
        "from contextlib import ExitStack\n"
        "def forever():\n    count = 0\n    while count >= 0:\n        count += 1\n"
        "with ExitStack() as stack:\n    for _ in range(50):\n        stack.callback(forever)\n    forever()\n"
    )
    with pytest.raises(core.ScriptTimeout):
        scripting.run(source, timeout_ms=1000)


REFUSED = {
    "class A:\n    def __new__(cls): return 1": "@classmethod",
    "class A:\n    def __getattr__(self, name): return 1": "property",
    "from functools import singledispatch": "dict from types",
    "from contextlib import closing": "finally",
    "import numpy as np\nnp.ma.masked_array([1])": "mask",
    "from decimal import Decimal": "Fraction",
    "x = (1).__class__": "isinstance",
    "self = 1\nx = self.__class__": "isinstance",
    "import bpy\nbpy.context.object.__class__.name": "isinstance",
    "(1).__class__ = 2": "isinstance",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_stays_refused_says_what_to_write_instead(source: str) -> None:
    verdict = scripting.check_script(source)
    assert not verdict.ok
    assert REFUSED[source] in verdict.findings[0].hint


KINDS = """
import enum
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import total_ordering
from typing import NamedTuple
class Plain:
    __slots__ = ("a",)
    __hash__ = None
    def __len__(self): return 1
    def __eq__(self, other): return True
    __radd__ = __add__ = lambda self, other=1: 1
class Whole(enum.IntEnum): X = 1
class Flags(enum.IntFlag): X = 1; Y = 2
class Word(enum.StrEnum): X = "a"
class Text(str, enum.Enum):
    X = "a"
    def __str__(self): return self.value
class Point(NamedTuple):
    x: int
    y: float = 1.0
    def __add__(self, other): return Point(self.x + other.x, self.y)
@dataclass(order=True)
class Data:
    a: int = 1
@total_ordering
class Order:
    def __lt__(self, other): return True
    def __eq__(self, other): return True
class Base(ABC):
    @abstractmethod
    def f(self): ...
assert (Point(1) + Point(2)).x == 3 and Whole.X + 1 == 2 and Flags.X | Flags.Y == 3 and str(Text.X) == "a"
assert Data(1) < Data(2) and Point(1)._replace(x=2).x == 2
assert Order() <= Order() and len(Plain()) == 1 and Word.X == "a" and Flags.Y
"""
SLOTS = (
    "__len__ = [1].clear",
    "__len__ = functools.partial(len, [1])",
    "__iter__ = ExitStack().close",
    "__bool__ = property([1].clear)",
    "__getitem__ = staticmethod([1].pop)",
    "__len__ = collections.Counter.total",
    "__len__ = bmesh.new().free",
)


def test_methods_that_c_calls_are_functions_of_the_script() -> None:
    """While Blender uses an object, a function of the script is seen and stopped; one of C is not."""
    scripting.execute(KINDS)
    for slot in SLOTS:
        with pytest.raises(core.CoreError, match="may only be a function that the script defines"):
            scripting.execute(
                f"import bmesh, collections, functools\nfrom contextlib import ExitStack\nclass A:\n    {slot}"
            )
    with pytest.raises(core.CoreError, match="may only be a function that the script defines"):
        scripting.execute("class A(list):\n    __len__ = list.clear")


def test_methods_of_own_classes_are_decorated_as_in_python() -> None:
    scripting.run(
        """
import functools
from contextlib import contextmanager
class Scope:
    @contextmanager
    def __call__(self, n):
        yield n + 1
    @functools.cache
    def __len__(self): return 4
with Scope()(3) as found:
    assert found == 4
assert len(Scope()) == 4
class Loud(str):
    __repr__ = str.upper
assert repr(Loud("a")) == "A"
"""
    )


HELD = {
    "a method of a list": "items = [1]\nclass A:\n    __len__ = items.pop",
    "a cached one": "import functools\nitems = [1]\nclass A:\n    __len__ = functools.cache(items.pop)",
    "a cached walk": "import functools\nclass A:\n    @functools.cache\n    def __iter__(self): return iter(())",
    "a method of lists": "class A(list):\n    __call__ = list.append",
}


@pytest.mark.parametrize("name", HELD)
def test_what_c_would_call_unseen_is_no_method_of_an_own_class(name: str) -> None:
    with pytest.raises(core.CoreError, match="may only be a function that the script defines"):
        scripting.run(HELD[name])
