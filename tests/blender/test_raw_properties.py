# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own objects for lists and groups in custom properties, which functions of C hand out: no use to scripts."""

from __future__ import annotations

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting

SCENE = """
import bpy, operator, itertools
import numpy as np
from collections import ChainMap
from functools import reduce
o = bpy.data.objects.new("o", None)
o["g"] = [1.0] * 50
o["d"] = {"x": 1, "y": [1.0, 2.0]}
raw = operator.getitem(o, "g")
group = operator.itemgetter("d")(o)
"""
USES = {
    "as an array": "np.asarray(raw)",
    "as a copied array": "np.array(raw)",
    "an item": "raw[0]",
    "an item of a dictionary": "dict(o)['g'][0]",
    "an item of a star": "{**o}['d']['x']",
    "an item through a chain": "ChainMap(o)['g'][0]",
    "an item through a fold": "reduce(operator.getitem, ['d', 'y'], o)[0]",
    "setting an item": "raw[0] = 2.0",
    "its length": "len(raw)",
    "its items": "list(raw)",
    "its sum": "sum(raw)",
    "a method": "raw.to_list()",
    "a method through C": "operator.methodcaller('to_list')(raw)",
    "its text": "str(raw)",
    "the keys of a group": "group.keys()",
    "what a group contains": "'x' in group",
    "stored": "o['h'] = raw",
    "stored in a list": "o['h'] = [raw]",
    "stored in a dictionary": "o['h'] = {'k': {'l': raw}}",
    "set in a group": "o['d']['z'] = {'k': raw}",
    "set into a list": "o['g'][:] = raw",
    "set by what the script made": "class S:\n    def __len__(self): return 1\n"
    "    def __getitem__(self, i):\n        if i: raise IndexError\n        return raw\no['d']['z'] = S()",
}


@pytest.fixture(autouse=True)
def scene() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)


@pytest.mark.parametrize("name", USES)
def test_what_c_hands_out_cannot_be_used(name: str) -> None:
    with pytest.raises(core.CoreError, match="custom property"):
        scripting.run(f"{SCENE}\n{USES[name]}")


def test_what_is_written_out_can_be_used() -> None:
    done = scripting.run(
        SCENE + "o['g'][2] = 5.0\no['d']['y'] = [3.0]\n"
        "print(o['g'][2], len(o['g']), sum(o['g']), o['d']['x'], o['d'].to_dict(), np.array(o['g'].to_list()).mean())"
    )
    assert done.stdout.split() == ["5.0", "50", "54.0", "1", "{'x':", "1,", "'y':", "[3.0]}", "1.08"]
