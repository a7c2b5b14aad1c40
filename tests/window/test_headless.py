# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts in this very Blender without a window: its Python may be newer than that of any `bpy` module."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

HERE, WORK = Path(__file__).parent, Path(os.environ["GEONODE_WORK"])
# The whole corpus takes a minute or two.
LIMIT_S = 600
# Some builds of Blender have an allocator that hands out more memory than there is, and the corpus asks for that.
LIMIT_BYTES = 6_000_000_000


@pytest.fixture(scope="session")
def project() -> Path:
    """The add-on and its wheel beside the tests that were staged, as they lie in the repository."""
    folder = WORK / "project"
    with zipfile.ZipFile(os.environ["GEONODE_ZIP"]) as extension:
        extension.extractall(folder / "addon" / "geonode_assistant")
    [wheel] = (folder / "addon" / "geonode_assistant" / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder


@pytest.mark.parametrize(
    ("tests", "least"),
    [
        ("native/test_watchdog.py", 15),
        ("blender/test_bytecode_check.py", 20),
        ("blender/test_scripts.py", 20),
        ("blender/test_script_corpus.py", 220),
    ],
)
def test_scripts_without_a_window(project: Path, figure: Callable[[str, str], None], tests: str, least: int) -> None:
    command = ["blender", "--background", "--factory-startup", "--python-exit-code", "9"]
    command += ["--python", str(HERE / "headless.py"), "--", str(project / "tests" / tests)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES)),
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-8000:]
    passed = re.search(r"(\d+) passed", said)
    assert passed is not None and int(passed.group(1)) >= least, said[-2000:]
    figure(f"{tests} without a window", passed.group(0))
