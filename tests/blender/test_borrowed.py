# SPDX-License-Identifier: GPL-3.0-or-later
"""What C holds without owning it, or writes without looking where: no code of a script gets at it meanwhile."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import geonode_assistant
import geonode_core
import geonode_core as core
import pytest
from geonode_assistant import scripting

SECONDS = 120
BEGIN = """
import gc, json, sys
import bpy
from geonode_assistant import scripting
for name, source in json.loads(sys.stdin.read()).items():
    try:
        scripting.execute(source, timeout_ms=20_000)
        print(name, 'ran', flush=True)
    except Exception as error:
        print(name, type(error).__name__, error, flush=True)
        del error
    gc.collect()
print('at the end', flush=True)
"""
ADVANCED = """
class Total:
    def __add__(self, other):
        asked.append(1)
        if len(asked) == 1:
            next(sums)
            return NotImplemented
        return 5
asked = []
sums = %s(Total() if n == 0 else n for n in range(10))
next(sums)
next(sums)
"""
HELD = {
    "keys of groups": """
from itertools import groupby
class Key:
    def __eq__(self, other):
        if not state:
            state.append(1)
            for i in range(3): next(groups)
            junk.extend([bytes(40) for i in range(1000)])
        return NotImplemented
state, junk = [], []
groups = groupby(range(20), key=lambda x: Key())
next(groups)
next(groups)
""",
    "a sum": "from itertools import accumulate\n" + ADVANCED % "accumulate",
    "a count": """
from collections import Counter
class Count:
    def __add__(self, other):
        counter.clear()
        return NotImplemented
counter = Counter()
counter["a"] = Count()
counter.update(["a"])
""",
    "a count among keys": """
from collections import Counter
class Key:
    def __hash__(self): return hash("a")
    def __eq__(self, other):
        counter["b"] = Count()
        return False
class Count:
    def __add__(self, other):
        counter.clear()
        return NotImplemented
counter = Counter()
counter[Key()] = 1
counter.update(["a", "b"])
""",
    "bytes of a format": """
class Shown:
    def __repr__(self):
        text.clear()
        return "E"
text = bytearray(b"%a " + b"x" * 300000)
assert bytes(text % (Shown(),))[:8] == b"E xxxxxx"
""",
    "bytes of a format for a function": """
from operator import mod
class Shown:
    def __repr__(self):
        text.clear()
        return "E"
text = bytearray(b"%a " + b"x" * 300000)
assert bytes(mod(text, Shown()))[:8] == b"E xxxxxx"
""",
    "a list that its new items shorten": """
items = [0] * 200000
def new():
    del items[10:]
    for i in range(100000): yield i
items[::2] = new()
""",
    "lists in brackets": """
class Item:
    def __repr__(self):
        items[:] = [bytes(40) for i in range(3)]
        return "a"
items = [Item() for i in range(50)]
assert repr(list[items]).count("a") == 50
items = [Item() for i in range(50)]
assert str(tuple[int, items]).startswith("tuple[int, [a, a, ")
""",
    "bytes that an object says it does not have": """
class Bytes:
    def __len__(self): return 0
    def __iter__(self): return iter([65, 66])
class Hinted:
    def __iter__(self): return self
    def __length_hint__(self): return 0
    def __next__(self):
        if left: return left.pop()
        raise StopIteration
for given in (Bytes(), Hinted()):
    left, text = [66, 65], bytearray()
    text.extend(given)
    assert text == b"AB" and bytearray() == b"" == bytes(bytearray())
text = bytearray()
bytearray.extend(text, Bytes())
assert text == b"AB"
""",
    "the dictionary of a proxy": """
from types import MappingProxyType
class Taking:
    def __ror__(self, other): return self.take(other)
    def __eq__(self, other): return self.take(other)
    def take(self, other):
        other["a"] = 2
        return True
proxy = MappingProxyType({"a": 1})
taken = proxy | Taking(), Taking() == proxy, proxy == Taking(), proxy != Taking()
assert proxy["a"] == 1 and proxy == {"a": 1} and {"a": 1} == proxy and proxy | {"b": 2} == {"a": 1, "b": 2}
assert {"b": 2} | proxy == {"b": 2, "a": 1} and proxy == MappingProxyType({"a": 1}) and proxy != {}
""",
    "a part of a list": "items = list(range(9))\nitems[1:3] = (items.clear() or n for n in range(3))\n"
    "assert items == [0, 1, 2]",
    "a map of itself": "def step(n):\n    return next(walk)\nwalk = map(step, range(9))\nnext(walk)",
    "generators that wait for each other": """
def step(inner):
    yield 1
    yield from inner
chain = [step([])]
for i in range(100000): chain.append(step(chain[-1]))
next(chain[-1])
for one in reversed(chain[1:]): next(one)
chain[-1].close()
""",
    "generators that nobody uses": """
def step(inner):
    yield 1
    yield from inner
chain = [step([])]
for i in range(100000): chain.append(step(chain[-1]))
next(chain[-1])
for one in reversed(chain[1:]): next(one)
class Held: pass
held = Held()
held.itself, held.first, held.chain = held, chain[-1], chain
del chain, one, held
junk = [[] for i in range(300000)]
for i in range(100000):
    other = Held()
    other.itself = other
""",
    "types in brackets": "from operator import getitem\nx = int\nfor i in range(200000): x = getitem(list, x)\nx[int]",
    "types in brackets of a library": "from collections import ChainMap\nfrom typing import TypeVar\nx = TypeVar('x')\n"
    "c = ChainMap(list)\nfor i in range(200000): x = c[x]\nc = ChainMap(x)\nc[int]",
    "types in brackets or others": "x = int\nfor i in range(200000): x = list[x] | None\nx[int]",
}
"""Each crashed, or read memory that it had released; none may, whatever they raise."""
RECORD = "import numpy as np\nd = {'names': ['a', 'b'], 'formats': ['i4', 'i8'], 'offsets': [0, 2 ** 31 - 8]}\n"
RECORDS = {
    "a description": RECORD + "a = np.zeros(1, np.dtype([('p', np.dtype(d)), ('q', np.dtype(d)), ('r', 'i8')]))",
    "one given": RECORD + "np.zeros(1, d)",
    "one in another": RECORD + "np.zeros(1, [('p', d), ('q', d), ('r', 'i8')])",
    "by name": RECORD + "np.ones(1, dtype=[('p', d), ('q', d)])",
    "converted": RECORD + "np.zeros(1).astype([('p', d)])",
    "of numbers": "import numpy as np\nnp.zeros(1, {'a': ('i4', 0), 'b': ('i8', 2 ** 31 - 8)})",
    "of an iterator": RECORD + "np.fromiter([(1, 2)], d)",
    "of a function": RECORD + "np.fromfunction(lambda i: i, (1,), dtype=d)",
    "as a text": "import numpy as np\nnp.zeros(1, ','.join(['V2000000000'] * 3))",
    "as a text with a shape": "import numpy as np\nnp.zeros(1, ','.join(['(9999,9999)i8'] * 9))",
    "twice in each other": "import numpy as np\nd = np.dtype('i4')\n"
    "for i in range(31): d = np.dtype([('a', d), ('b', d)])\nnp.zeros(1, d)",
    "of a class": RECORD + "class A:\n    dtype = d\nnp.zeros(1, A)",
    "of an object": RECORD + "class A:\n    def __init__(self): self.dtype = d\nnp.zeros(1, A())",
    "of a function's attribute": RECORD + "def f(): pass\nf.dtype = d\nnp.zeros(1, f)",
    "of a namespace": RECORD + "from types import SimpleNamespace\nnp.zeros(1, SimpleNamespace(dtype=d))",
    "in a field": RECORD + "class A:\n    dtype = d\nnp.zeros(1, [('a', A)])",
    "with much that nobody writes": "import numpy as np\n"
    "np.array([(1,)], {'names': ['a'], 'formats': ['i1'], 'offsets': [0], 'itemsize': 1000}).tobytes()",
}
ORDINARY = """
import numpy as np
from collections import Counter
from itertools import accumulate, groupby
words = ["ape", "ant", "bee", "bat", "cat"]
print([(key, list(group)) for key, group in groupby(words, key=lambda word: word[0])], list(groupby([])))
print([key for key, group in groupby("aabbca")], [next(group) for key, group in groupby("aabbca")])
groups = [group for key, group in groupby("aab")]
print([list(group) for group in groups])
print([[(a, list(inner)) for a, inner in groupby(group, len)] for key, group in groupby(words, lambda w: w[0])])
print(list(accumulate(range(5))), list(accumulate([1, 2, 3], lambda a, b: a * b, initial=2)))
counter = Counter("hello")
counter.update(["l", 1, None])
counter.update({"l": 2})
counter.update(n for n in (1, 1, (2, 3)))
counter["x"] += 1.5
counter.update("x")
print(counter, Counter(a=2) + Counter("ab"), counter.most_common(2))
items = list(range(10))
items[::2] = (n * n for n in range(5))
items[:2] = "ab"
items[8:] = {3}
text = bytearray(b"%d-%s")
print(items, text % (3, b"a"), b"%d" % 4)
def walk():
    yield 1
    yield from (2, 3)
one = walk()
next(one)
one.close()
print(list[int], dict[str, list[int]], list[list[list[int]]], *tuple[[int]])
print(tuple[int, [str, [int, None]]], dict[str, []])
text.extend(n for n in b"ab")
text.extend({99: 1})
text.extend((100, 101))
print(text)
point = np.dtype([("at", "f4", (3,)), ("id", "i4")])
print(np.zeros(2, point)["at"].sum(), np.zeros(2, "f4,i4").dtype.itemsize)
print(np.zeros(2, {"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [0, 4]}).dtype.itemsize)
print(np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True)).dtype.itemsize)
print(np.array([("a", 1), ("b", 2)]).shape, np.array([(1, 2), (3, 4)]).sum(), np.array({"a": 1}).dtype)
print(np.einsum("ij,jk->ik", np.eye(2), np.eye(2)).sum(), np.array("1,234,567,890").dtype.kind)
print(np.divide([1.0, 2.0], [2.0, 2.0], out=np.zeros(2), where=[True, False]), np.add([1, 2], 1, where=True))
print(np.pad([1, 2], 1), np.block([[np.eye(1), np.zeros((1, 1))], [np.zeros((1, 1)), np.eye(1)]]).sum())
print(np.empty(2, object), np.empty((2, 3)).shape, np.empty_like(np.ones(3, "i2")).dtype)
"""


def test_c_does_not_use_what_a_script_takes_away() -> None:
    places = [str(Path(module.__file__ or "").parents[1]) for module in (geonode_core, geonode_assistant)]
    done = subprocess.run(
        [sys.executable, "-c", BEGIN],
        input=json.dumps(HELD),
        # What is released is overwritten, so that whoever uses it crashes.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONMALLOC": "debug"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = (done.stdout + done.stderr)[-4000:]
    assert "at the end" in done.stdout, said
    assert [line for line in done.stdout.splitlines() if "AssertionError" in line] == [], said


@pytest.mark.parametrize("name", RECORDS)
def test_fields_of_records_lie_within_them(name: str) -> None:
    with pytest.raises(
        core.CoreError, match="have to lie within|Give Blender and libraries the dtype|must fit|invalid"
    ):
        scripting.execute(RECORDS[name])


def test_what_nobody_has_written_is_not_shown() -> None:
    scripting.execute(
        """
import numpy as np
junk = [np.full(n, 7.0) for n in range(1, 2000)]
junk.clear()
for n in range(1, 2000, 37):
    assert not np.empty(n).any() and not np.ndarray((n,)).any() and not np.empty_like(np.ones(n)).any()
    assert not np.add(np.ones(n), 1, where=np.zeros(n, bool)).any()
    assert not np.divmod(np.ones(n), 1, where=np.zeros(n, bool))[0].any()
    assert np.pad(np.ones(1), (n, 0), mode="empty").sum() == 1
assert np.add(1.0, 2.0, where=False) == 0 and np.add(1.0, 2.0, where=True) == 3
assert np.add([1, 2], [3, 4], where=[True, False]).tolist() == [4, 0]
assert np.empty(2, [("a", "f4"), ("b", "i8")]).tolist() == [(0.0, 0), (0.0, 0)]
""",
        timeout_ms=20_000,
    )


def test_what_scripts_do_with_them_is_as_in_python() -> None:
    plain = io.StringIO()
    with contextlib.redirect_stdout(plain):
        exec(ORDINARY, {"__name__": "__main__"})
    assert scripting.execute(ORDINARY).stdout == plain.getvalue()


def test_so_many_parts_of_an_array_are_not_put_together() -> None:
    with pytest.raises(core.CoreError, match="freeze Blender"):
        scripting.execute("import numpy as np\nx = np.ones(2)\nfor i in range(16): x = [x, x]\nnp.block(x)")
