# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python does by itself while a script runs raises no alarm, and nothing of it is left."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from geonode_assistant import scripting
from geonode_assistant.scripting import alarm, policy

# What a script prints, by what Python does for it meanwhile.
BY_ITSELF = {
    "numpy warns in its own file": ("import numpy as np\nprint(np.mean(np.array([])))", "nan\n"),
    "numpy warns in the script": ("import numpy as np\nprint(np.sqrt(np.array([-1.0, 4.0]))[1])", "2.0\n"),
    "numpy warns of a fit": (
        "import numpy as np\nx = np.array([1., 1., 1., 2.])\nprint(len(np.polyfit(x, x * 2, 3)))",
        "4\n",
    ),
    "numpy overflows": ("import numpy as np\nprint(np.float32(1e38) * np.float32(1e10))", "inf\n"),
    "a property that will go": ("import bpy\nbpy.data.materials.new('A').use_nodes = True\nprint(1)", "1\n"),
    "a codec": ("print('ä'.encode('cp1252'), b'a'.decode('utf-16-le', 'ignore'))", "b'\\xe4' \n"),
    "how numpy prints": (
        "import numpy as np\nnp.set_printoptions(precision=2, suppress=True)\nprint(np.array([1.234, 1e-9]))",
        "[1.23 0.  ]\n",
    ),
    "a text as a seed": ("import random\nrandom.seed('stone')\nprint(random.random())", "0.43592633368581435\n"),
    "an error is told with its line": (
        "import traceback\ntry:\n    'ä'.index('b')\nexcept ValueError:\n"
        "    print('not found' in traceback.format_exc())",
        "True\n",
    ),
    "messages to the output": (
        "import logging, sys\nlogging.basicConfig(level=logging.INFO, stream=sys.stdout)\n"
        "try:\n    logging.basicConfig(stream=print)\nexcept (ValueError, NameError):\n    print('only')",
        "only\n",
    ),
    "no codec": (
        "try:\n    'x'.encode('nope-1')\nexcept LookupError as e:\n    print(e)",
        "unknown encoding: nope-1\n",
    ),
    "filters": (
        "import warnings\nimport numpy as np\n"
        "with warnings.catch_warnings():\n"
        "    warnings.simplefilter('error')\n"
        "    try:\n        np.ones(1) / 0\n    except RuntimeWarning:\n        print('e')\n"
        "warnings.filterwarnings('ignore', category=RuntimeWarning)\nprint(np.ones(1) / 0)\nwarnings.warn('x')",
        "e\n[inf]\n",
    ),
}


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("name", BY_ITSELF)
def test_what_python_does_by_itself_is_no_breach(name: str) -> None:
    source, printed = BY_ITSELF[name]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before, printed_by_numpy = list(warnings.filters), np.get_printoptions()
        own = linecache.updatecache, linecache.checkcache, warnings.showwarning, vars(sys).get("tracebacklimit")
        assert scripting.execute(source).stdout == printed
        assert list(warnings.filters) == before and np.get_printoptions() == printed_by_numpy
    assert own[:2] == (linecache.updatecache, linecache.checkcache)
    assert own[3] == vars(sys).get("tracebacklimit")


def test_a_name_that_this_blender_lacks_is_missing_as_in_python() -> None:
    made = scripting.execute(
        "import bpy\nfrom contextlib import suppress\no = bpy.data.objects['Cube']\nme = o.data\nfound = []\n"
        "if hasattr(me, 'calc_sharpness_map'):\n    me.calc_sharpness_map()\n    found.append('has')\n"
        "try:\n    me.calc_smooth_again()\nexcept AttributeError as e:\n    found.append((type(e).__name__, str(e)))\n"
        "try:\n    o.data.use_bumpy_shading = True\nexcept Exception as e:\n    found.append(str(e))\n"
        "with suppress(AttributeError):\n    o.data.bumpiness = 3\n    found.append('set')\n"
        "if hasattr(o.data, 'bumps'):\n    o.data.bumps.factor = 2\n"
    )
    assert made.namespace["found"] == [
        ("AttributeError", "'Mesh' object has no attribute 'calc_smooth_again'"),
        "'Mesh' object has no attribute 'use_bumpy_shading'",
    ]
    with pytest.raises(Exception, match="not an attribute that safe mode knows"):
        scripting.execute("import bpy\nbpy.data.objects['Cube'].data.calc_smooth_again()\n")


def test_what_nothing_uses_any_more_is_named() -> None:
    bpy.data.objects["Cube"].keyframe_insert("location")
    action = bpy.data.objects["Cube"].animation_data.action.name
    made = scripting.execute(
        "import bpy\no = bpy.data.objects['Cube']\no.animation_data.action = None\n"
        "bpy.data.meshes.new('never used')\no.data = o.data.copy()\n"
    )
    assert made.abandoned == (f"action '{action}'", "mesh 'Cube'")
    assert scripting.execute("import bpy\nbpy.data.objects['Cube'].location.x = 1\n").abandoned == ()


NOT_CALLED = {
    "argparse": "the modules' own commands",
    "builtins": "loaded before everything else",
    "decimal": "asked only for a Decimal, which is not given",
    "pickle": "pickled loggers; neither can be reached",
    "io, os, shutil, socket, subprocess": "asks the system for its address (uuid1)",
    "_socket": "a type that is not given",
    "statistics": "a test of the module itself",
    "._constants": "loaded with the module",
}
"""Imports that nothing reaches which a script may call, with why."""


def imported_on_first_use(module: str) -> Iterator[str]:
    """What the functions of a module import."""
    found = importlib.util.find_spec(module)
    if found is None or not str(found.origin).endswith(".py"):
        return
    for function in ast.walk(ast.parse(Path(str(found.origin)).read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for one in ast.walk(function):
                if isinstance(one, ast.Import):
                    yield from (alias.name for alias in one.names)
                elif isinstance(one, ast.ImportFrom):
                    yield "." * one.level + (one.module or "")


def test_what_a_module_imports_on_first_use_is_loaded_before_the_script() -> None:
    excepted = {name for names in NOT_CALLED for name in names.split(", ")}
    modules = [one for one in policy.policy().modules if one.partition(".")[0] in sys.stdlib_module_names]
    seen = [(module, needed) for module in modules for needed in imported_on_first_use(module)]
    assert len(seen) > 40
    prepared = {module: set(alarm.loaded_for(module)) | {module} for module in modules}
    missing = sorted(
        {
            (module, needed)
            for module, needed in seen
            if needed not in excepted and needed not in prepared[module] | set(alarm.loaded_for("")) and exists(needed)
        }
    )
    assert missing == [], "name these in alarm._LAZY, or why nothing calls them"


def exists(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
