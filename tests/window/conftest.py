# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests in a real Blender with a window; ``cargo xtask window`` sets up what they need and runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from endpoint import Endpoint  # noqa: E402
from window import ADDON, Screen, Window  # noqa: E402

WORK = Path(os.environ["GEONODE_WORK"])
# Where Debian's Blender looks for its languages. They are not unpacked; without this list it refuses ours.
LANGUAGES = Path("/usr/share/locale/languages")


@pytest.fixture
def figure() -> Callable[[str, str], None]:
    """Records a measurement; it is printed after the tests and not asserted."""

    def note(name: str, value: str) -> None:
        with (WORK / "figures").open("a") as file:
            file.write(f"{name}: {value}\n")

    return note


@pytest.fixture(scope="session")
def screen() -> Iterator[Screen]:
    server = Screen(WORK / "screen")
    yield server
    server.close()


@pytest.fixture(scope="session")
def installed() -> None:
    """Installs the extension from its zip into this user's folders, as an artist does."""
    if not LANGUAGES.exists():
        LANGUAGES.parent.mkdir(parents=True, exist_ok=True)
        LANGUAGES.write_text("0:Automatic:DEFAULT\n1:English:en_US\n5:German:de_DE\n")
    command = ["blender", "--command", "extension", "install-file", "-r", "user_default", "--enable"]
    done = subprocess.run([*command, os.environ["GEONODE_ZIP"]], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    # Otherwise another Blender writes it while the first tests wait for Send.
    write = f"import importlib; importlib.import_module('{ADDON}.host.catalogue').path()"
    subprocess.run(
        ["blender", "--background", "--python-exit-code", "9", "--python-expr", write], check=True, timeout=300
    )


@pytest.fixture(scope="session")
def process(screen: Screen, installed: None) -> Iterator[Window]:
    one = Window(screen, WORK / "blender")
    yield one
    one.close()


@pytest.fixture
def window(process: Window) -> Iterator[Window]:
    """Blender with the factory start-up file and our tab open in the 3D View; fails if Blender prints an error."""
    process.do("current.close(); current.reset('')")
    process.do("bpy.ops.wm.read_homefile(use_factory_startup=True, use_splash=False)")
    process.wait("bool(bpy.context.window_manager.windows)")
    process.do(f"bpy.context.preferences.addons[{ADDON!r}].preferences.provider = 'offline'")
    process.open_tab()
    before = len(process.printed())
    yield process
    said = process.printed()[before:]
    assert "Traceback" not in said and "Error" not in said, said


@pytest.fixture
def model(window: Window) -> Iterator[Endpoint]:
    """A model server on this machine, which the add-on is set to use."""
    server = Endpoint()
    window.do(
        f"p = bpy.context.preferences.addons[{ADDON!r}].preferences\n"
        f"p.provider, p.model, p.base_url = 'openai-compatible', 'm', {server.url!r}"
    )
    yield server
    window.do("current.close()")
    server.close()
