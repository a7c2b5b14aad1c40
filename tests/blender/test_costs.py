# SPDX-License-Identifier: GPL-3.0-or-later
"""Every function that a script may call says what it costs, and what it costs is bounded."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import re
import subprocess
import sys
import time
from types import ModuleType
from typing import Any

import bpy
import geonode_core as core
import numpy as np
import pytest
from geonode_assistant import api, scripting
from geonode_assistant.scripting import costs, matching, methods, names, numeric, policy, repeats
from geonode_assistant.scripting.errors import Guarded
from geonode_assistant.scripting.output import Output

EDGES = (0.0, 1e-320, 1e-9, 1.0, 1e9, 1e154, 1e308, float("inf"), float("nan"))
PARAMETERS = {
    1: "chisquare exponential geometric pareto poisson power rayleigh standard_gamma standard_t weibull zipf",
    2: "beta binomial gamma laplace logistic lognormal normal uniform vonmises wald",
}
"""Distributions of numpy by the number of their parameters."""
OF_BLENDER = ("bpy", "bmesh", "bpy_extras")


def given(name: str) -> ModuleType:
    table = names.table(frozenset(), Output())
    return table["__import__"](name, None, None, ("x",), 0)


def listed() -> list[tuple[str, str, Any]]:
    found = []
    for module, members in policy.policy().modules.items():
        if module.partition(".")[0] in OF_BLENDER:
            continue
        real = importlib.import_module(module)
        found += [(module, one, getattr(real, one)) for one in sorted(members) if hasattr(real, one)]
    return found


def test_every_listed_function_says_what_it_costs() -> None:
    called = [(module, name) for module, name, value in listed() if callable(value)]
    assert len(called) > 700
    unsaid = [f"{module}.{name}" for module, name in called if costs.cost(module, name) is None]
    assert unsaid == [], "say in scripting/costs.py what these cost"


def test_no_function_costs_two_things() -> None:
    for of in (costs.COSTS, costs.METHODS):
        for kind, by_cost in of.items():
            every = [name for listed in by_cost.values() for name in listed.split()]
            assert len(every) == len(set(every)), kind


def test_what_has_its_own_limit_is_not_the_original() -> None:
    seen = 0
    for module, name, value in listed():
        if not callable(value) or costs.cost(module, name) not in (costs.OWN, *costs.LARGEST):
            continue
        seen += 1
        if isinstance(value, np.ufunc):
            continue  # limited by the core, as the operators are
        assert getattr(given(module), name) is not value, f"{module}.{name}"
    assert seen > 120


def test_a_function_without_a_cost_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    from geonode_assistant.scripting import modules

    assert hasattr(given("math"), "sqrt")
    modules.contents.cache_clear()
    costs.cost.cache_clear()
    monkeypatch.setitem(costs.COSTS, "math", {costs.PLAIN: "sin"})
    try:
        assert hasattr(given("math"), "sin") and not hasattr(given("math"), "sqrt")
    finally:
        modules.contents.cache_clear()
        costs.cost.cache_clear()


@pytest.mark.parametrize("kind", costs.METHODS)
def test_every_listed_method_of_numpy_says_what_it_costs(kind: str) -> None:
    by_cost = costs.METHODS[kind]
    said = {name for listed in by_cost.values() for name in listed.split()}
    unsaid = policy.policy().types[kind] - said
    assert unsaid == set(), "say in scripting/costs.py what these cost"
    limited = {name for cost in (costs.OWN, *costs.LARGEST) for name in by_cost.get(cost, "").split()} - {"resize"}
    assert limited <= set(methods.LIMITED[kind]) and limited <= methods.LIMITED_NAMES | {"resize"}
    assert numeric.REPLACED


COSTLY = {
    "a view": "x = np.broadcast_to(np.float64(1), (n, n))\nx.sum()",
    "views": "a, b = np.broadcast_arrays(np.ones((n, 1)), np.ones((1, n)))\na.sum()",
    "at": "np.add.at(np.zeros(3), np.zeros(40 * n, dtype=int), 1)",
    "outer": "x = np.ones(8000)\nnp.power.outer(x, x)",
    "overlapping parts": "np.add.reduceat(np.ones(10 * n), [0, 10 * n - 1] * 3000)",
    "choice by probabilities": "np.random.choice(10 * n, 10 * n, p=np.full(10 * n, 1e-7))",
    "choice of a generator": "np.random.default_rng(1).choice(20 * n, 3 * n, replace=False)",
    "a permutation": "np.random.permutation(30 * n)",
    "rows in another order": "np.random.default_rng(1).shuffle(np.zeros((n, 2)))",
    "many draws": "np.random.poisson(9.9, size=40 * n)",
    "many draws of a generator": "np.random.default_rng(1).binomial(10**15, 0.5, size=40 * n)",
    "parts of draws": "np.random.dirichlet(np.ones(n // 10), 10000)",
    "svd": "np.linalg.svd(np.ones((1200, 1200)))",
    "eig": "np.linalg.eig(np.ones((700, 700)))",
    "lstsq": "np.linalg.lstsq(np.ones((3000, 1500)), np.ones(3000), rcond=None)",
    "powers": "x = np.ones((8000, 8000))\nx ** x",
    "remainders": "x = np.ones((8000, 8000))\nx % x",
    "divisors": "x = np.ones((8000, 8000), dtype=int)\nnp.gcd(x, x)",
    "objects": "x = np.ones((5000, 5000)).astype(object)\nx + x",
    "objects of numbers": "x = np.ones((8000, 8000)).tolist()",
    "a transform": "np.fft.fft(np.ones(25 * n))",
    "a transform of a prime length": "np.fft.fft(np.ones(9999991))",
    "a transform that is filled up": "np.fft.fft(np.ones(3), 20 * n - 1)",
    "places of a partition": "np.partition(np.ones(n), range(n // 100))",
    "places by the method": "np.ones(n).argpartition(np.arange(n // 100))",
    "many quantiles": "np.quantile(np.ones(n), np.linspace(0, 1, n // 100))",
    "interpolation": "x = np.linspace(0, 1, 10 * n)\nnp.interp(x, x, x)",
    "texts": "x = np.array(['a' * 1000] * 100000)\nnp.sort(x)",
    "texts by the method": "x = np.array(['a' * 1000] * 100000)\nx.argsort()",
    "differences": "np.diff(np.zeros(n), n=50000)",
    "common divisors": "import math\na = 3 ** 900_000\nb = 5 ** 600_000\nmath.gcd(a, b)",
    "replacements of many pieces": r"import re\nre.sub('(a)', r'\1' * 10 ** 4, 'a' * 10 ** 5)",
    "one of very many pieces": r"import re\nre.compile('(a)').sub(r'\1' * 10 ** 6, 'a')",
    "replacements in a long text": "import re\nwhile True:\n    re.subn('', 'b', 'a' * 10 ** 6, 0)",
    "a long text": "s = 'ab' * 10 ** 6\ns = s * 100\nt = s.translate({97: 'x'})",
}
ORDINARY = """
import math
import numpy as np

rng = np.random.default_rng(1)
points = np.random.rand(1000, 3)
spread = np.broadcast_to(np.arange(3.0), (1000, 3))
counts = np.zeros(10)
np.add.at(counts, [1, 1, 2], 1)
found = [
    spread.shape, counts.tolist(), np.add.outer([1, 2], [3, 4]).tolist(),
    np.add.reduceat(np.arange(8), [0, 4]).tolist(),
    rng.choice([1, 2, 3], size=5).shape, np.random.choice(10, 3, replace=False).shape, rng.permutation(5).shape,
    np.random.choice(3, 4, p=[0.2, 0.3, 0.5]).shape, rng.binomial(10**15, 0.5, size=3).shape,
    np.random.dirichlet([1, 1], 4).shape, np.linalg.svd(points - points.mean(0))[1].shape,
    np.linalg.eigh(np.cov(points.T))[0].shape, (points ** 2 % 1).shape, np.gcd(12, 18), math.gcd(12, 18, 4),
    np.fft.rfft(np.ones(64)).shape, np.interp(0.5, [0, 1], [0, 2]), np.sort(np.array(['b', 'a'])).tolist(),
    np.diff([1, 3, 6]).tolist(), np.percentile([1, 2, 3], 50), np.array([1, 2]).astype(float).tolist(),
    np.median(points, axis=0).shape, np.power(2.0, [1, 2]).tolist(), np.lexsort(([2, 1], [0, 0])).tolist(),
    np.partition([3, 1, 2], [0, 2]).tolist(), np.percentile(np.arange(101.0), [5, 95]).tolist(),
    np.fft.fft2(np.ones((512, 512))).shape, np.random.zipf(2.5, 3).shape, np.random.vonmises(0, 4, size=5).shape,
    np.polyfit([0, 1, 2], [0, 1, 4], 2).round(3).tolist(), np.unwrap([0.0, 7.0]).shape, np.pad([1], 1).tolist(),
]
"""


@pytest.mark.parametrize("name", COSTLY)
def test_what_would_take_long_is_refused_or_stopped(name: str) -> None:
    begin = time.process_time()
    with pytest.raises((core.CoreError, core.PolicyError, core.ScriptTimeout)):
        scripting.execute("import numpy as np\nn = len('x') * 10 ** 6\n" + COSTLY[name])
    assert time.process_time() - begin < 6


def test_ordinary_calls_of_the_same_functions_work() -> None:
    found = api.run_script(ORDINARY).namespace["found"]
    assert found[:4] == [(1000, 3), [0, 2, 1] + [0] * 7, [[4, 5], [5, 6]], [6, 22]]
    assert found[4:9] == [(5,), (3,), (5,), (4,), (3,)]
    assert found[9:13] == [(4, 2), (3,), (3,), (1000, 3)]
    assert found[13:18] == [6, 2, (33,), 1.0, ["a", "b"]]
    assert found[18:22] == [[2, 3], 2.0, [1.0, 2.0], (3,)]
    assert found[22:24] == [[2.0, 4.0], [1, 0]]
    assert found[24] == [1, 2, 3] and found[25] == pytest.approx([5.0, 95.0])
    assert found[26:29] == [(512, 512), (3,), (5,)]
    assert [round(one, 2) + 0 for one in found[29]] == [1.0, 0.0, 0.0]
    assert found[30:] == [(2,), [0, 1, 0]]


REPLACED = ("", "x", r"\1", r"<\g<0>>", r"\\")


def test_what_is_repeated_in_python_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[Any] = ["", "abcab", "aab" * 40]
    seen = 0
    for long in (0, matching.LONG):
        monkeypatch.setattr(matching, "LONG", long)
        for one in ("a", "(a)", "(a)(b)?", "", "b*"):
            for text in [*texts, *(text.encode() for text in texts), bytearray(b"abab")]:
                pattern = re.compile(one if isinstance(text, str) else one.encode())
                for most in (0, 1, 3, -1):
                    assert matching.split(pattern, text, most) == pattern.split(text, most)
                assert matching.findall(pattern, text) == pattern.findall(text)
                assert matching.findall(pattern, text, 1, 3) == pattern.findall(text, 1, 3)
                for new in REPLACED:
                    if new == r"\1" and not pattern.groups:
                        continue
                    made = new if isinstance(text, str) else new.encode()
                    for name in ("sub", "subn"):
                        for count in (0, 2):
                            seen += 1
                            expected = getattr(pattern, name)(made, text, count)
                            assert matching.METHODS[name](pattern, made, text, count) == expected
        assert matching.function("sub")("A", "x", "aAa", flags=re.I) == "xxx"
        assert matching.function("split")("A", "aAa", 1, re.I) == ["", "Aa"]
        assert matching.function("findall")(re.compile("a"), "aa") == ["a", "a"]
        assert matching.function("sub")("a", lambda found: found.group().upper(), "aba", count=1) == "Aba"
    assert seen > 1000


def test_every_whole_number_of_an_operator_counts_or_says_where() -> None:
    counting: dict[str, set[str]] = {}
    for full in policy.policy().operators:
        group, _, name = full.partition(".")
        try:
            described = getattr(getattr(bpy.ops, group), name).get_rna_type()
        except KeyError:
            continue  # an operator of another Blender
        for prop in described.properties:
            if prop.type == "INT" and not prop.is_array and repeats.counts(prop.identifier):
                counting.setdefault(prop.identifier, set()).add(full)
    assert {"repeat", "iterations", "iteration_count", "steps", "segments", "number_cuts"} <= set(counting)
    new = {name: used for name, used in counting.items() if name not in KNOWN_TO_COUNT}
    assert new == {}, "do these multiply the work? say so here; else in repeats.WHERE_OR_WHICH"


KNOWN_TO_COUNT = frozenset({
    "PREF_BOX_DIV", "amount", "bevel_resolution", "blur_iterations", "blur_steps", "corner_subdivisions",
    "filter_order", "filter_width", "iteration_count", "iterations", "keys_number", "level", "major_segments",
    "minor_segments", "normal_falloff_smooth", "number_cuts", "propagation_steps", "repeat", "resolution",
    "resolution_u", "resolution_v", "resolution_w", "ring_count", "samples_per_frame", "segments",
    "sharpen_curvature_smooth_iterations", "smooth_iterations", "smooth_steps", "span", "steps", "subdivision",
    "subdivisions", "turns", "vertices", "x_subdivisions", "y_subdivisions",
})  # fmt: skip
IN_EDIT_MODE = """
import bpy
bpy.ops.mesh.primitive_grid_add(x_subdivisions=180, y_subdivisions=180)
bpy.ops.object.mode_set(mode="%s")
try: %s
finally: bpy.ops.object.mode_set(mode="OBJECT")
"""
REPEATING = {
    "smooth": ("EDIT", "bpy.ops.mesh.vertices_smooth(repeat=1000)"),
    "weights": ("OBJECT", "bpy.ops.object.vertex_group_smooth(repeat=10000)"),
    "unwrap": ("EDIT", "bpy.ops.uv.unwrap(method='ANGLE_BASED', iterations=10000)"),
    "filter": ("SCULPT", "bpy.ops.sculpt.mesh_filter(type='SMOOTH', iteration_count=100000)"),
    "dissolve": ("EDIT", "bpy.ops.mesh.dissolve_limited(angle_limit=3.0)"),
    "frames": ("OBJECT", "bpy.ops.nla.bake(frame_start=1, frame_end=300000)"),
    "picture": ("OBJECT", "bpy.ops.paint.add_texture_paint_slot(width=100000, height=100000)"),
    "bmesh": (
        "OBJECT",
        "import bmesh; bm = bmesh.new(); bm.from_mesh(bpy.context.object.data); "
        "bmesh.ops.dissolve_limit(bm, angle_limit=3.0, verts=bm.verts, edges=bm.edges)",
    ),
}


MACROS = {
    "cuts": "mesh.loopcut_slide(MESH_OT_loopcut={'number_cuts': 1000000})",
    "copies": "mesh.duplicate_move(MESH_OT_duplicate={}, TRANSFORM_OT_translate={'value': (1, 0, 0), 'repeat': 10**9})",
    "in each other": "mesh.extrude_region_move(MESH_OT_extrude_region={'MESH_OT_subdivide': {'number_cuts': 100}})",
}


@pytest.mark.parametrize("name", MACROS)
def test_numbers_of_the_parts_of_a_macro_are_judged(name: str) -> None:
    with pytest.raises(core.CoreError, match="freeze Blender|elements; use smaller"):
        scripting.execute(IN_EDIT_MODE % ("EDIT", "bpy.ops." + MACROS[name]))


CRASHING = {
    "a stitch": "bpy.ops.uv.stitch()",
    "a hull": "import bmesh; b = bmesh.new(); bmesh.ops.create_cube(b); b.verts.ensure_lookup_table(); "
    "b.verts[0].co.x = float('nan'); bmesh.ops.convex_hull(b, input=list(b.verts))",
    "a hull in Edit Mode": "import bmesh; b = bmesh.from_edit_mesh(bpy.context.object.data); "
    "b.verts.ensure_lookup_table(); b.verts[0].co.x = float('nan'); bpy.ops.mesh.convex_hull()",
    "a merged spin": "import bmesh; b = bmesh.new(); bmesh.ops.create_circle(b, segments=2000, radius=1); "
    "bmesh.ops.spin(b, geom=list(b.verts) + list(b.edges), steps=900, angle=6.28, axis=(1, 0, 0), cent=(0, 5, 0), "
    "use_merge=True)",
}


@pytest.mark.parametrize("name", CRASHING)
def test_what_crashes_or_hangs_blender_is_refused(name: str) -> None:
    with pytest.raises(core.CoreError, match="crash|freeze Blender"):
        scripting.execute((IN_EDIT_MODE % ("EDIT", CRASHING[name])).replace("180", "3"))


@pytest.mark.parametrize("name", REPEATING)
def test_what_repeats_too_often_is_refused_before_the_call(name: str) -> None:
    begin = time.process_time()
    with pytest.raises(core.CoreError, match="freeze Blender|memory"):
        scripting.execute(IN_EDIT_MODE % REPEATING[name])
    assert time.process_time() - begin < 6


def test_ordinary_repetitions_run() -> None:
    for mode, call in (
        ("EDIT", "bpy.ops.mesh.vertices_smooth(repeat=20)"),
        ("EDIT", "bpy.ops.mesh.select_random(seed=20000000)"),
        ("EDIT", "bpy.ops.mesh.select_nth(skip=100000, nth=1)"),
        ("EDIT", "bpy.ops.mesh.dissolve_limited(angle_limit=-1e-3)"),
    ):
        scripting.execute((IN_EDIT_MODE % (mode, call)).replace("180", "20"))


def draw(name: str, count: int) -> None:
    """Draws with every parameter at its edges, as a script's functions do."""
    guarded = numeric.REPLACED["numpy.random"].get(name, getattr(np.random, name))
    limited = methods.LIMITED["numpy.random._generator.Generator"].get(name, np.random.Generator.normal)
    for values in itertools.product(EDGES, repeat=count):
        for one in (guarded, functools.partial(limited, np.random.default_rng(1))):
            with contextlib.suppress(Guarded, ValueError, OverflowError, TypeError):
                one(*values, size=50)


def test_no_distribution_goes_on_for_ever_at_the_edge_of_its_parameters() -> None:
    """In a process of its own: a call that does not end cannot be stopped."""
    names = [(name, count) for count, every in PARAMETERS.items() for name in every.split()]
    lines = [f"print({name!r}, flush=True); draw({name!r}, {count})" for name, count in names]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "\n".join([f"import sys; sys.path += {sys.path!r}", f"from {__name__} import draw", *lines]),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {name for name, _ in names} <= set(done.stdout.split()) and len(names) > 20
