# SPDX-License-Identifier: GPL-3.0-or-later
"""After scripts Blender ends by itself, at once and without a fault, whatever they have used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import geonode_assistant
import geonode_core
import pytest

SECONDS = 60
BEGIN = "import bpy\nfrom geonode_assistant import api\n"
KEEP = "try:\n    api.run_script({!r}, timeout_ms=300)\nexcept Exception as error:\n    kept = error\n"
CUBE = "import bpy\nbpy.ops.mesh.primitive_cube_add(size=3)\nbpy.context.object.location.x = 3\n"
CLASSES = (
    "import bpy, random, math\nfrom dataclasses import dataclass\nfrom enum import Enum\n\n\n"
    "class Kind(Enum):\n    A = 1\n\n\n@dataclass\nclass Part:\n    x: float\n    kind: Kind = Kind.A\n\n\n"
    "parts = [Part(n) for n in range(3)]\nkeep = bpy.data.objects\nobj = keep[0]\n"
)
ARRAYS = "import numpy as np\nimport bmesh\nb = bmesh.new()\nb.verts.new(np.ones(3))\nv = np.ones(3) @ np.eye(3)\n"
FUNCTIONS = "import numpy as np\ndef f(): return 1\nheld = np.array([f, f], dtype=object)\n"
RUNS = {
    "nothing": "",
    "names for drivers": "bpy.app.driver_namespace\n",
    "one": f"api.run_script({CUBE!r})\n",
    "kept": f"kept = [api.run_script({CLASSES!r}).namespace, api.run_script({ARRAYS!r})]\n",
    "functions in an array": f"api.run_script({FUNCTIONS!r})\n",
    "failed": KEEP.format("import bpy\nx = bpy.data.objects\n1 / 0"),
    "stopped": KEEP.format("n = 1\nwhile n < 2: pass"),
    "tried": f"kept = api.run_script({CUBE!r}, approve='all')\n",
}


@pytest.mark.parametrize("name", RUNS)
def test_blender_ends_after_scripts(name: str, tmp_path: Path) -> None:
    # A Blender that reads its names for drivers without us ends badly in 4.x.
    used = "api.run_script('x = 1')\n" if name == "names for drivers" else ""
    places = [str(Path(module.__file__ or "").parents[1]) for module in (geonode_core, geonode_assistant)]
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + used + RUNS[name] + "print('at the end')\n"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = (done.stdout + done.stderr)[-2000:]
    assert done.returncode == 0 and "at the end" in done.stdout, said
    assert "Not freed" not in said and "panicked" not in said, said
