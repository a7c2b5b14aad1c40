# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares pictures of results with those that a manifest keeps."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..host import modifiers, picture, resemblance
from ..messages import AssistantError
from . import manifest
from .manifest import Check

SIZE = (320, 240)
LEAST = 0.9
"""The least similarity where a manifest gives none."""
# Rendered the same on every machine, with a graphics card or without.
_ENGINES = ("CYCLES",)


def compare(expect: dict[str, Any], base: Path, keep: bool) -> Iterator[Check]:
    """A check for each picture, relative to ``base``. ``keep``: what is missing there is written and passes."""
    for wanted in expect.get("pictures", ()):
        view = wanted.get("view", "perspective")
        name = f"picture of {wanted['object']} ({view})"
        least = wanted.get("similarity", LEAST)
        with tempfile.TemporaryDirectory(prefix="geonode-e2e-") as folder:
            made = Path(folder) / "picture.png"
            try:
                reference = manifest.beside(wanted["like"], base)
                if not modifiers.has_geometry(wanted["object"]):
                    raise OSError(f"There is no object “{wanted['object']}” with geometry.")
                picture.render(wanted["object"], made, SIZE, view, _ENGINES)
                if not resemblance.shows(made):
                    raise OSError(f"Nothing of “{wanted['object']}” is to be seen.")
                if keep and not reference.exists():
                    reference.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(made, reference)
                found = resemblance.similarity(made, reference)
            except (OSError, AssistantError) as error:
                yield Check(name, False, f"like {wanted['like']}", str(error))
                continue
        yield Check(name, found >= least, [least, 1.0], round(found, 4))
