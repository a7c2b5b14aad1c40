# SPDX-License-Identifier: GPL-3.0-or-later
"""The first wall alone, without rules and alarm: an object's type decides what a script may do with it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import instrument, names, pictures, policy
from geonode_assistant.scripting.errors import Guarded, NotAllowed
from geonode_assistant.scripting.membrane import Membrane, key
from geonode_assistant.scripting.output import Output

# Expressions for objects that a script can reach; the search starts from them.
OBJECTS = """
None | True | 1 | 1.5 | 1j | "a" | b"a" | bytearray(b"a") | [1] | (1,) | {1: 2} | {1} | frozenset({1})
range(3) | slice(1) | ... | NotImplemented | object() | property() | staticmethod(len) | classmethod(len)
len | "a".join | [].append | str.join | iter([]) | iter(()) | iter({}) | iter({}.values()) | iter({}.items())
iter(set()) | iter("a") | iter("é") | iter(b"") | iter(bytearray()) | iter(range(2)) | iter(range(2**70))
reversed([]) | reversed({}) | reversed(range(3)) | {}.keys() | {}.values() | {}.items() | map(len, [])
filter(len, []) | zip() | enumerate([]) | (1 for _ in [1]) | (lambda: 1) | ValueError("x") | KeyError()
StopIteration(1) | OSError() | ImportError() | UnicodeDecodeError("a", b"", 0, 1, "x")
datetime.datetime.now() | datetime.date.today() | datetime.time() | datetime.timedelta()
datetime.timezone.utc | collections.Counter() | collections.deque() | collections.defaultdict(int)
collections.OrderedDict() | collections.ChainMap() | iter(collections.deque())
collections.OrderedDict().keys() | collections.OrderedDict().items() | fractions.Fraction(1, 2)
decimal.Decimal(1) | re.compile("a") | re.compile("a").match("a") | re.I | re.finditer("a", "a") | enum.auto()
dataclasses.field() | random.Random() | array.array("f", [1]) | functools.partial(len)
functools.lru_cache(len) | functools.lru_cache(len).cache_info() | functools.cached_property(len)
functools.cmp_to_key(len) | itertools.chain([]) | itertools.islice([], 1) | itertools.accumulate([])
itertools.groupby([]) | itertools.takewhile(len, []) | itertools.dropwhile(len, []) | itertools.zip_longest()
itertools.starmap(len, []) | itertools.compress([], []) | itertools.filterfalse(len, [])
itertools.tee([])[0] | itertools.pairwise([]) | statistics.linear_regression([1, 2], [1, 2]) | hashlib.md5()
hashlib.sha256() | uuid.uuid4() | time.gmtime() | typing.List[int] | list[int] | int | str
typing.Optional[int] | typing.TypeVar("T") | typing.Callable[[int], int] | typing.Literal[1] | typing.Generic
operator.itemgetter(1) | calendar.day_name | contextlib.nullcontext() | mathutils.Vector()
mathutils.Matrix() | mathutils.Euler() | mathutils.Quaternion() | mathutils.Color() | mathutils.Matrix().row
mathutils.Matrix()[0] | mathutils.kdtree.KDTree(1) | mathutils.bvhtree.BVHTree.FromPolygons([], []) | mesh
mesh.verts | mesh.edges | mesh.faces | mesh.loops | mesh.verts[0] | mesh.edges[0] | mesh.faces[0]
mesh.faces[0].loops[0] | mesh.faces[0].loops | mesh.verts[0].link_edges | mesh.verts.layers
mesh.edges.layers | mesh.faces.layers | mesh.loops.layers | mesh.loops.layers.uv
mesh.loops.layers.uv.verify() | mesh.select_history | mesh.verts[0][mesh.verts.layers.deform.verify()]
mesh.faces[0].loops[0][mesh.loops.layers.color.verify()] | iter(mesh.verts)
mesh.faces[0].loops[0][mesh.loops.layers.uv.verify()] | mesh.verts[0][mesh.verts.layers.skin.verify()]
numpy.ones(3) | numpy.ones(3).flat | numpy.float32(1) | numpy.float64(1) | numpy.int64(1) | numpy.int32(1)
numpy.uint8(1) | numpy.bool_(1) | numpy.complex128(1) | numpy.str_("a") | numpy.dtype(float)
numpy.random.default_rng(1) | numpy.random.RandomState(1) | numpy.add | numpy.poly1d([1])
numpy.vectorize(len) | numpy.errstate() | numpy.finfo(float) | numpy.ndindex(2)
numpy.ndenumerate(numpy.ones(2)) | numpy.c_ | numpy.mgrid | numpy.linalg.qr(numpy.eye(2))
numpy.linalg.svd(numpy.eye(2)) | numpy.linalg.eig(numpy.eye(2)) | numpy.linalg.eigh(numpy.eye(2))
numpy.ones(2).sum | bpy.data | bpy.context | bpy.context.object | bpy.data.objects
bpy.context.object.location | iter(bpy.data.objects) | bpy.context.object.matrix_world
bpy.context.object.bound_box | bpy.context.object.data.vertices[0].co | bpy.context.object["b"]
bpy.context.object["c"] | bpy.context.object.id_properties_ui("a") | bpy.context.object.keys()
bpy.context.object["c"].keys() | bpy.context.object["c"].items() | bpy.context.object["c"].values()
bpy.context.object.select_get | bpy.data.objects.new | bpy.context.temp_override() | bpy.app.version
"""


def objects() -> Iterator[Any]:
    """Objects of every kind, and the builtins and module members that a script has."""
    known = policy.policy()
    table = names.table(frozenset(), Output())
    yield from (value for name, value in table.items() if not name.startswith("__"))
    kinds = (getattr(bpy.types, name, None) for name in known.modules["bpy.types"])
    yield from (kind for kind in kinds if kind is not None)
    given: dict[str, Any] = {}
    for name in (*(known.modules.keys() - {"__future__"}), "decimal"):
        with contextlib.suppress(ImportError):
            given[name.partition(".")[0]] = importlib.import_module(name.partition(".")[0])
            importlib.import_module(name)
            module = table["__import__"](name, None, None, ("members",), 0)
            if isinstance(module, types.ModuleType):
                yield from (one for one in vars(module).values() if not isinstance(one, types.ModuleType))
    thing = bpy.context.object
    thing["a"], thing["b"], thing["c"] = 1, [1.0, 2.0], {"x": 1}
    given["mesh"] = given["bmesh"].new()
    given["bmesh"].ops.create_cube(given["mesh"], size=1)
    layers = given["mesh"].verts.layers, given["mesh"].loops.layers
    for layer in (layers[0].deform, layers[0].skin, layers[1].color, layers[1].uv):
        layer.verify()
    for line in OBJECTS.strip().splitlines():
        for expression in line.split(" | "):
            for part in (given["mesh"].verts, given["mesh"].edges, given["mesh"].faces):
                part.ensure_lookup_table()
            yield eval(expression, dict(given))


def test_every_type_that_a_script_can_reach_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Follows everything that a script may read, from what it is given, until no new type is found."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    membrane = Membrane(frozenset())
    seen: set[type] = set()
    unlisted: set[str] = set()

    def look(kind: type) -> bool:
        """Whether the type is new."""
        if kind in seen:
            return False
        seen.add(kind)
        if not membrane.is_known(kind):
            unlisted.add(f"{kind.__module__}.{kind.__qualname__}")
        return True

    def walk(value: Any) -> None:
        new = look(value) if isinstance(value, type) else look(type(value))
        if not new:
            return
        for name in dir(value if isinstance(value, type) else type(value)):
            if not name.startswith("_") and membrane.may_read(value, name):
                try:
                    member = getattr(value, name)
                except Exception:
                    continue
                walk(member)

    for one in objects():
        walk(one)
    with capsys.disabled():
        print(f"\n{len(seen)} types that a script can come to, of them {len(policy.policy().types)} listed")
    assert unlisted == set()
    assert len(seen) > 400


def run_walled(source: str, own: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Runs a text under the first wall, without rules and alarm."""
    known = policy.policy()
    tree = instrument.instrumented(
        source, frozenset(known.bounds), frozenset(known.modules), frozenset({"join"}), frozenset({"name", "x", "y"})
    )
    namespace = {"__name__": "__main__", "__builtins__": names.table(own, Output())}
    core.run_bounded(compile(tree, "<walled>", "exec"), namespace, 5000)
    return namespace


# Whatever names the script has made its own: `a._evaluate = 1` must open nothing of anybody else.
OWN = "class A: pass\na = A()\nfor name in ('x',): setattr(a, name, 1)\n"
REFUSED = {
    "private names of a library": "import typing\na._evaluate = 1\ntyping.List[int]._evaluate",
    "globals of an own function": "def f(): pass\nf.__globals__",
    "code of an own function": "def f(): pass\nf.__code__",
    "closure": "def f(): pass\nf.__closure__",
    "function of a method": "class B:\n    def m(self): pass\nB().m.__func__",
    "globals of a guard": "print.__func__",
    "self of a builtin": "len.__self__",
    "a guard's own globals": "import functools\nfunctools.wraps.__globals__",
    "wraps that reads": "import functools\nfunctools.wraps(len, assigned=('__self__',))(a)",
    "wraps that writes": "import functools\nfunctools.wraps(len, ('__name__',), ('__dict__',))(a)",
    "subclasses": "().__class__.__base__.__subclasses__()",
    "mro": "int.mro()",
    "a type by its type": "().__class__.__class__('B', (), {})",
    "a metaclass": "import abc\nabc.ABC.__class__('B', (), {})",
    "the functional enum": "import enum\nclass E(enum.Enum): pass\nE('B', {'__del__': print})",
    "the functional enum, called by map": "import enum\nclass E(enum.Enum): pass\nlist(map(E, ['B'], [{'f': 1}]))",
    "a finaliser stored": "A.__del__ = print",
    "a class exchanged": "a.__class__ = int",
    "a dict of an instance": "a.__dict__",
    "a method of a library class": "import collections\ncollections.Counter.update = print",
    "a member of a module": "import math\nmath.pi = 3",
    "a type of Blender": "import bpy\nbpy.types.Object.evil = 1",
    "a name of Blender's type": "import bpy\nbpy.types.Object.location = 1",
    "store in a loop": "import math\nfor math.pi in (1, 2): pass",
    "store in a comprehension": "import collections\n[1 for collections.Counter.update in (1,)]",
    "store by unpacking": "import collections\na.x, collections.Counter.update = 1, 2",
    "store by with": "import contextlib\nimport collections\n"
    "with contextlib.nullcontext(1) as collections.Counter.update: pass",
    "store in a chain": "import collections\na.x = collections.Counter.update = 1",
    "store with +=": "import collections\ncollections.Counter.evil += 1",
    "store starred": "import collections\n*collections.Counter.update, b = 1, 2",
    "deletion": "import collections\ndel collections.Counter.update",
    "store by setattr": "import collections\nsetattr(collections.Counter, 'update', print)",
    "attribute of a library function": "import random\nrandom.randint.x = 1",
    "getattr": "getattr(len, '__self__')",
    "getattr in two steps": "getattr(getattr(a, '__init__'), '__globals__')",
    "attrgetter": "import operator\noperator.attrgetter('__class__.__base__')(a)",
    "methodcaller": "import operator\noperator.methodcaller('mro')(int)",
    "view as objects": "import numpy as np\nnp.ones(3).view(object)",
    "memory": "import numpy as np\nnp.ones(3).data",
    "memory by ctypes": "import numpy as np\nnp.ones(3).ctypes",
    "pickle": "import numpy as np\nnp.ones(3).dumps()",
    "a kind of memory": "import numpy as np\nb = np.ones(3)\nb.dtype = object",
    "steps of memory": "import numpy as np\nb = np.ones(3)\nb.strides = (1,)",
    "memory taken from under a view": "import numpy as np\nb = np.ones(9)\nb.resize(1, refcheck=False)",
    "memory given": "import numpy as np\nnp.ndarray((1,), dtype=object, buffer=b'a' * 8)",
    "where the fields of a record lie": "import numpy as np\nclass X:\n    def __init__(self): self.fields = None\n"
    "    def __ror__(self, other): self.got = other\nnp.dtype([('a', 'i8')]).fields | X()",
    "memory given, called by map": "import numpy as np\nlist(map(np.ndarray, [(1,)], [object], [bytearray(b'a' * 8)]))",
    "frames": "def g(): yield 1\ng().gi_frame",
    "traceback": "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__",
    "object of an error": "try:\n    a.nothing\nexcept AttributeError as e:\n    e.obj",
    "path by text": "import bpy\nbpy.context.object.path_resolve('__class__')",
    "a text block": "import bpy\nbpy.data.texts",
    "a file": "import bpy\nbpy.data.filepath = 'x'",
    "handlers": "import bpy\nbpy.app.handlers",
    "a draw callback": "import bpy\na.draw_handler_add = 1\nbpy.types.SpaceView3D.draw_handler_add",
    "register": "import abc\nabc.ABC.register",
    "a base of a library": "import random\nclass B(random.Random): pass",
    "a base of Blender": "import bpy\nclass B(bpy.types.Operator): pass",
    "a pattern": "match len:\n    case object(__self__=s): pass\n    case _: raise TypeError('unread')",
    "a pattern on a library": "import numpy as np\nmatch np.ones(1):\n    case np.ndarray(view=v): pass\n"
    "    case _: raise TypeError('unread')",
    "str.format": "'{0.__class__}'.format(a)",
    "format of a text in a name": "t = '{0.__class__}'\nt.format(a)",
    "format of the class": "str.format('{0.__class__}', a)",
    "format by its name": "getattr(str, 'format')('{0.__class__}', a)",
    "format of an own text": "import enum\nclass S(enum.StrEnum):\n    A = '{0.__class__}'\nS.A.format(a)",
    "format of a class of texts": "import enum\nclass S(enum.StrEnum):\n    A = '{0.__class__}'\nS.format(S.A, a)",
    "an array by its class": "import numpy as np\nnp.ones(1).__class__((1,), object, bytearray(8))",
    "an array by its class, kept": "import numpy as np\na.k = np.ones(1).__class__\na.k((1,), object, bytearray(8))",
    "an array by its type, kept": "import numpy as np\na.k = type(np.ones(1))\na.k((1,), object, bytearray(8))",
    "a type by the type of a class, kept": "a.k = type(A)\na.k('B', (), {})",
    "a type by the class of a class, kept": "a.k = A.__class__\na.k('B', (), {})",
    "resize by its class": "import numpy as np\nb = np.ones(9)\nb.__class__.resize(b, 1, refcheck=False)",
    "a function by the type of one": "def f(): pass\ntype(f)(1, {})",
    "a module by the type of one": "import math\ntype(math)('os')",
    "a class by the type of one": "type(int)('B', (), {})",
    "an array by the type of one": "import numpy as np\ntype(np.zeros(1))((3,), object, np.zeros(3))",
    "a record's type by the type of one": "import numpy as np\ntype(np.dtype('i8'))('O', align=True)",
    "data of Blender by its type": "import bpy\ntype(bpy.context.scene)()",
    "arguments of a class": "class B:\n    def __init_subclass__(cls, x): pass\n"
    "class C(B, x=(lambda: 0).__code__): pass",
    "an address told to numpy": "import numpy as np\nfrom types import SimpleNamespace as S\n"
    "np.asarray(S(**{'__array_interface__': {'data': (id(a), False), 'shape': (8,), 'typestr': '|u1', 'version': 3}}))",
    "an address told by a namespace's own class": "import numpy as np\nfrom types import SimpleNamespace as S\n"
    "np.asarray(S().__class__.__base__(**{'__array_interface__': {}}))",
    "an address told to numpy by a store": "from types import SimpleNamespace as S\nS().__array_interface__ = {}",
    "format_map": "'{a.__class__}'.format_map({'a': a})",
    "method of an own enum's metaclass": "import enum\nclass E(enum.Enum): pass\na.x = 1\nE._convert_",
    "class that an own enum's metaclass makes": "import enum\nclass E(enum.Enum): pass\nE._create_('X', {'a': 1})",
    "by getattr": "import enum\nclass E(enum.Enum): pass\ngetattr(E, '_convert_')",
    "registration with an own abstract class": "import abc\nclass Q(abc.ABC): pass\nQ.register(int)",
    "order of an own class": "class B: pass\nB.mro()",
}


@pytest.mark.parametrize("name", REFUSED)
def test_attacks_that_names_do_not_stop_are_stopped_by_types(name: str) -> None:
    from geonode_assistant.scripting import modules  # numpy's replacements come with it

    assert modules
    with pytest.raises((NotAllowed, Guarded, TypeError, core.PolicyError, AttributeError)):
        run_walled(OWN + REFUSED[name], frozenset({"_evaluate", "_convert_", "_create_", "draw_handler_add", "x"}))


def test_an_artists_property_opens_no_text_block() -> None:
    """Names that other types share (`lines`, `body`, `name`) are of no use on a type that no script may have."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    text = bpy.data.texts.new("secret")
    text.write("password")
    obj = bpy.context.object
    assert obj is not None
    obj["notes"] = text
    obj["friend"] = bpy.data.objects["Camera"]
    for access in (".lines[0].body", ".name", ".lines", ".as_string()", ".current_line", "['x']", ".name = 'x'"):
        with pytest.raises((core.PolicyError, core.CoreError)):
            scripting.run(f"import bpy\nbpy.context.object['notes']{access}")
        with pytest.raises((core.PolicyError, core.CoreError)):
            scripting.run(f"import bpy\nbpy.context.object.get('notes'){access}")
    assert bpy.data.texts["secret"].as_string() == "password"
    scripting.run("import bpy\nassert bpy.context.object['friend'].name == 'Camera'")


def test_no_allowed_operator_evaluates_its_arguments() -> None:
    """Operators in Python whose file evaluates texts are refused, or the argument is."""
    known = policy.policy()
    evaluating = set()
    for full in known.operators:
        group, name = full.split(".")
        kind = getattr(bpy.types, f"{group.upper()}_OT_{name}", None)
        for one in type.mro(kind) if kind is not None else ():
            with contextlib.suppress(TypeError, OSError):
                if re.search(r"\b(?:eval|exec)\(", inspect.getsource(one)):
                    evaluating.add(full)
    assert all(one.startswith("node.") for one in evaluating), evaluating
    assert evaluating, "nothing was looked at"
    for full in evaluating:
        with pytest.raises(core.CoreError, match="evaluates its settings as code"):
            scripting.execute(f"import bpy\nbpy.ops.{full}(settings=[])")


def test_a_scripts_own_classes_are_unrestricted() -> None:
    made = run_walled("""
import enum, dataclasses, collections, functools, abc, types, typing
class A:
    many = 0
    def __init__(self, obj, type):
        self.obj, self._type, self.__private = obj, type, 1
    def method(self):
        return self.__private + self._type
    @property
    def p(self):
        return self.obj
    @p.setter
    def p(self, value):
        self.obj = value
    @classmethod
    def make(cls):
        cls.many += 1
        return cls(1, 2)
class B(A):
    def method(self):
        return super().method() + super(B, self).method()
a, b = A.make(), B(3, 4)
a.p += 5
for a.x in range(3): pass
[None for a.y in (7,)]
a.z, *b.rest = 1, 2, 3
del a.z
def f(): f.calls = getattr(f, 'calls', 0) + 1
f(); f()
@dataclasses.dataclass
class D:
    x: int
    names: typing.List[str] = dataclasses.field(default_factory=list)
class E(enum.Enum):
    ONE = 1
    TWO = 2
P = collections.namedtuple('P', 'x y')
class N(typing.NamedTuple):
    v: int = 4
class Q(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
class R(Q):
    def area(self): return 3
space = types.SimpleNamespace(a=1)
space.b = 2
class Own(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code
try:
    raise Own(7)
except Own as error:
    code = error.code + error.args[0]
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
match D(5):
    case D(x=found): pass
match [1, {'k': 2}]:
    case [_, {'k': inner}]: pass
table = {'f': fib}
result = [a.p, a.x, a.y, b.rest, b.method(), A.many, f.calls, D(3).x, E(2).name, E['ONE'].value, P(1, 2).y, N().v,
          R().area(), space.a + space.b, code, fib(10), found, inner, table['f'](5), a.__class__.__name__]
""")
    assert made["result"] == [
        6, 2, 7, [2, 3], 10, 1, 2, 3, "TWO", 1, 2, 4, 3, 3, 14, 55, 5, 2, 5, "A",
    ]  # fmt: skip


def test_the_guards_of_one_script_do_not_know_the_classes_of_another() -> None:
    first = run_walled("class A: pass\na = A()\na.x = 1")
    with pytest.raises(NotAllowed):
        namespace = {"__name__": "__main__", "a": first["a"], "__builtins__": names.table(frozenset(), Output())}
        known = policy.policy()
        tree = instrument.instrumented("a.x", frozenset(), frozenset(known.modules), frozenset(), frozenset())
        core.run_bounded(compile(tree, "<walled>", "exec"), namespace, 1000)


def test_a_value_is_looked_at_where_a_type_multiplies_it() -> None:
    # A point of a curve has a radius too, which makes nothing: it is stored without a look, as fast as by plain code.
    made = run_walled("""
import bpy
curve = bpy.data.curves.new('c', 'CURVE')
spline = curve.splines.new('POLY')
spline.points[0].radius = 1e9
result = spline.points[0].radius
""")
    assert made["result"] == 1e9
    for heavy in (
        "bpy.data.metaballs.new('m').elements.new().radius = 1e9",
        "m = bpy.data.metaballs.new('m')\nm.resolution = 0.005\nm.elements.new()",
        "bpy.data.curves.new('t', 'FONT').body = 'a' * 50_000",
        "bpy.data.particles.new('p').count = 10 ** 9",
        "bpy.context.object.modifiers.new('a', 'SUBSURF').levels = 11",
    ):
        with pytest.raises(Guarded):
            run_walled(f"import bpy\n{heavy}")


def test_the_channels_of_a_large_image_are_read_and_set(monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    monkeypatch.setattr(pictures, "_OF_TUPLES", 50)
    made = run_walled("""
import bpy
import numpy as np
image = bpy.data.images.new("x", 4, 4, float_buffer=True)
image.pixels[7] = 0.25
image.pixels[8:12] = 0.5, 0.5, 0.5, 1.0
every = image.pixels[:]
values = np.ones(len(image.pixels), np.float32)
image.pixels.foreach_get(values)
image.pixels.foreach_set(values * 0.5)
result = len(every), every[7:12], len(list(image.pixels)), float(values[7]), image.pixels[7], image.pixels[-1]
image.pixels = every
result += image.pixels[7], len(image.pixels[0:4]), len(image.pixels[::4]), type(image.pixels).__name__
""")["result"]
    assert made == (64, [0.25, 0.5, 0.5, 0.5, 1.0], 64, 0.25, 0.125, 0.5, 0.25, 4, 16, "Channels")


def test_all_channels_of_a_large_image_are_read_or_refused() -> None:
    """Blender itself makes one tuple of them, for which a script has no block of memory, and crashes."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    for side, shown in (2050, None), (2400, "foreach_get"):
        source = f"import bpy\nfound = len(bpy.data.images.new('x', {side}, {side}).pixels[:])"
        if shown is None:
            scripting.execute(source, timeout_ms=60_000)
        else:
            with pytest.raises(core.CoreError, match=shown):
                scripting.execute(source, timeout_ms=60_000)


def test_a_type_is_not_known_by_the_name_that_it_gives_itself() -> None:
    forged = type("SimpleNamespace", (), {"__module__": "types", "__qualname__": "SimpleNamespace", "value": 1})
    assert key(types.SimpleNamespace) == "types.SimpleNamespace" != key(forged)
    assert not Membrane(frozenset()).may_read(forged(), "value")


@pytest.mark.parametrize(
    "access",
    [
        "bpy.data.images.new('i', 4, 4).save",
        "bpy.context.scene.render.filepath",
        "(i for i in [1]).gi_frame",
        "ValueError('x').with_traceback",
        "ValueError.mro",
        "bpy.context.preferences",
    ],
)
def test_the_name_of_an_own_attribute_opens_nothing_else(access: str) -> None:
    own = frozenset({access.rpartition(".")[2]})
    body = "\n".join(f"        self.{name} = 1" for name in own)
    source = f"import bpy\nclass A:\n    def __init__(self):\n{body}\na = A()\n"
    run_walled(source + "".join(f"a.{name}\n" for name in own), own)
    with pytest.raises((AttributeError, NotAllowed)):
        run_walled(source + f"x = {access}\n", own)


AT = """
def at(address):
    given = {S.A: {"shape": (1,), "typestr": "|O", "data": (address, True), "version": 3}}
    return np.asarray(SimpleNamespace(**given))[0]
print(at(id(len)))
"""
# Values of a script's own classes that tell guards something else than Blender and Python get from them, and classes
# that are not what their statement says; with a part of the refusal.
DECEIVING = {
    "a text": (
        "from enum import StrEnum\nfrom types import SimpleNamespace\nimport numpy as np\n"
        "class S(StrEnum):\n    A = '_' + '_array_interface_' + '_'\n    def startswith(self, *a): return False\n" + AT,
        "startswith",
    ),
    "a text, later": (
        "from enum import StrEnum\nfrom types import SimpleNamespace\nimport numpy as np\n"
        "class S(StrEnum):\n    A = '_' + '_array_interface_' + '_'\n"
        "S.startswith = lambda *a: False\n" + AT,
        "startswith",
    ),
    "a text, by its instance": (
        "from enum import StrEnum\nclass S(StrEnum):\n    A = 'x'\nS.A.startswith = lambda *a: False",
        "startswith",
    ),
    "a text, by a class behind it": (
        "from enum import StrEnum\nclass M:\n    pass\nclass S(M, StrEnum):\n    A = 'x'\nM.startswith = lambda *a: 1",
        "startswith",
    ),
    "a number": (
        "from enum import IntEnum\nclass N(IntEnum):\n    A = 5\n    def __gt__(self, other): return False",
        "__gt__",
    ),
    "a length": (
        "from typing import NamedTuple\nclass T(NamedTuple):\n    x: int\n    def __len__(self): return 0",
        "__len__",
    ),
    "a metaclass": ("import typing\nFoo = typing.Type[int]\nclass M(Foo): pass", "derive"),
    "a deque": (
        "import typing\ndef deco(c): return typing.Deque[int]\n@deco\nclass F: pass\nclass M(F): pass",
        "derive",
    ),
    "what a name uncovers": ("class A:\n    mro = 1\nA.mro\ndel A.mro\nA.mro()", "deleted"),
    "what an exception has": ("class A(Exception):\n    add_note = 1\ndel A.add_note", "deleted"),
    "a class of a library": (
        "import functools, fractions\nfunctools.total_ordering(fractions.Fraction)",
        "not a class of",
    ),
    "a dataclass of a library": (
        "import dataclasses, fractions\ndataclasses.dataclass(fractions.Fraction)",
        "not a class of",
    ),
}


@pytest.mark.parametrize("name", DECEIVING)
def test_guards_are_not_deceived_by_values_and_classes_of_a_script(name: str) -> None:
    source, says = DECEIVING[name]
    with pytest.raises((core.CoreError, core.PolicyError), match=says):
        scripting.run(source)


def test_classes_of_plain_data_are_still_useful() -> None:
    made = scripting.run("""
from collections import namedtuple
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto
from typing import NamedTuple, TypeVar
from abc import ABC, abstractmethod
T = TypeVar("T")
class Kind(StrEnum):
    BOX = auto()
    def __str__(self): return "a " + self.value
    @property
    def shown(self): return self.value.upper()
class Level(IntEnum):
    LOW = 1
    HIGH = 2
    @classmethod
    def best(cls): return cls.HIGH
class Sides(IntFlag):
    LEFT = auto()
    RIGHT = auto()
Point = namedtuple("Point", "x y")
class Size(NamedTuple):
    x: float
    y: float = 1
    def __add__(self, other): return Size(self.x + other.x, self.y + other.y)
class Stack:
    def __init__(self): self.items = []
    def push(self, one: T): self.items.append(one)
class Base(ABC):
    @abstractmethod
    def run(self): ...
class Error(ValueError):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code
s = Stack()
s.push(1)
error = Error("x", 3)
found = [str(Kind.BOX), Kind.BOX.shown, Level.best() + 1, Size(1) + Size(2, 3), s.items, error.code]
found += [Sides.LEFT | Sides.RIGHT == 3, Point(1, 2).y]
""").namespace["found"]
    assert made == ["a box", "BOX", 3, (3, 4), [1], 3, True, 2]


PATTERNS = """
import bpy
from dataclasses import dataclass
from enum import Enum
from collections import namedtuple, OrderedDict, deque

@dataclass
class P:
    x: float
    y: float = 0

class C(Enum):
    R = 1
    G = 2

class V:
    def __init__(self, a, b):
        self.a, self.b = a, b

N = namedtuple("N", "p q")

def f(v):
    match v:
        case None: return "none"
        case True: return "true"
        case int(n) if n > 100: return f"big {n}"
        case int() | float(): return "number"
        case "a" | "b" as s: return "text " + s
        case str(s): return "str " + s
        case P(x=0, y=yy): return f"P0 {yy}"
        case P(xx, yy): return f"P {xx} {yy}"
        case V(a=1, b=z): return f"V1 {z}"
        case V(a=a, b=V(a=c, b=d)): return f"VV {a} {c} {d}"
        case C.R: return "red"
        case N(p, q): return f"N {p} {q}"
        case []: return "empty"
        case [x]: return f"one {x}"
        case [x, *rest, last] if last == 9: return f"list {x} {rest}"
        case (a, (b, c)): return f"nest {a}{b}{c}"
        case [*_, "end"]: return "end"
        case {"type": "cube", "size": size, **more}: return f"cube {size} {sorted(more)}"
        case {"k": [a, b] | (a, b)}: return f"k {a} {b}"
        case {}: return "dict"
        case bpy.types.Object(name=name, data=bpy.types.Mesh()): return "obj " + name
        case _: return "other"

x = 5
match [7, 2]:
    case [x, 1]: pass
    case _: kept = x

def gen():
    for v in (1, "a"):
        match v:
            case int(): yield "i"
            case _: yield "s"

cube = bpy.data.objects["Cube"]
values = [None, True, 500, 3, 2.5, "a", "zz", P(0, 4), P(1, 2), V(1, 2), V(3, V(4, 5)), C.R, C.G, N(1, 2), [], [4]]
values += [[1, 2, 3, 9], (1, (2, 3)), [1, 2, "end"], {"type": "cube", "size": 2, "z": 1}, {"k": [1, 2]}, {"j": 1}]
values += [cube, bpy.data.objects["Light"], deque([1]), OrderedDict(), b"ab", range(1)]
found = [f(v) for v in values] + [kept, list(gen())]
try:
    match P(1, 2):
        case P(1, 2, 3): pass
except TypeError as error:
    found.append(str(error))
"""


def test_patterns_mean_what_python_means() -> None:
    plain: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(PATTERNS, "<plain>", "exec"), plain)
    assert scripting.run(PATTERNS).namespace["found"] == plain["found"] and len(plain["found"]) > 30


# Attributes that patterns would read without a guard.
READING = {
    "a key": "n = np.zeros(3)\nmatch {}:\n    case {n.ctypes: v}: pass",
    "a value": "def deco(c): return np.zeros(3)\n@deco\nclass C:\n    ctypes = 1\nmatch 1:\n    case C.ctypes: pass",
    "a name of any class": "def deco(c): return object\n@deco\nclass K: pass\n"
    "match np.zeros(3):\n    case K(ctypes=c): got.append(c)",
    "a format": "def deco(c): return str\n@deco\nclass K: pass\n"
    "match '{0.__class__}':\n    case K(format=f): got.append(f(1))",
}


@pytest.mark.parametrize("name", READING)
def test_patterns_read_through_the_guards(name: str) -> None:
    source = "import numpy as np\ngot = []\nclass O:\n    ctypes = 1\n" + READING[name]
    try:
        assert not any("class" in str(one) or "ctypes" in str(one) for one in scripting.run(source).namespace["got"])
    except (core.CoreError, core.PolicyError) as error:
        assert error.code in ("script_failed", "script_refused")


def test_methods_take_their_arguments_by_name() -> None:
    """Called at once, kept before, found by `hasattr`: a guarded method is the same one."""
    scripting.execute("""
import bpy, bmesh
from mathutils.kdtree import KDTree
mesh = bpy.data.meshes.new(name="named")
mesh.from_pydata(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], edges=[], faces=[(0, 1, 2)])
found = bmesh.new()
found.from_mesh(mesh=mesh)
assert len(found.verts) == 3
found.free()
tree = KDTree(1)
tree.insert((1, 2, 3), 7)
tree.balance()
kept = tree.find
assert kept(co=(1, 2, 3))[1] == tree.find(co=(1, 2, 3))[1] == 7
splines = bpy.data.curves.new("named", "CURVE").splines
assert hasattr(splines, "new") and not hasattr(splines, "add")
new = splines.new
assert new(type="POLY").type == splines.new(type="POLY").type
obj = bpy.data.objects.new("named", mesh)
obj.scale = (2, 2, 2)
assert obj.scale.x == 2
""")


def test_elements_of_other_lists_stay() -> None:
    """A list of elements that grows moves its own; another's are where they were, and can be used."""
    scripting.execute("""
import bpy
tree = bpy.data.node_groups.new("ramps", "ShaderNodeTree")
one, other = (tree.nodes.new("ShaderNodeValToRGB").color_ramp.elements for _ in range(2))
kept = other[0]
for n in range(20):
    one.new(n / 20)
kept.position = 0.25
assert other[0].position == 0.25
curve = bpy.data.curves.new("two", "CURVE")
first, second = (curve.splines.new("POLY") for _ in range(2))
point = first.points[0]
second.points.add(5000)
point.co = (1, 2, 3, 1)
assert first.points[0].co.x == 1
""")
