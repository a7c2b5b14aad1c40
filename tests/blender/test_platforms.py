# SPDX-License-Identifier: GPL-3.0-or-later
"""A zip for other systems: Blender says so, and nothing is installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import bpy
import geonode_assistant
import pytest

ADDON = Path(geonode_assistant.__file__).parent
INSTALLER = Path(bpy.utils.system_resource("SCRIPTS"), "addons_core/bl_pkg/cli/blender_ext.py")
PLATFORMS = {"linux": "linux-x64", "darwin": "macos-arm64", "win32": "windows-x64"}


@pytest.mark.parametrize("here", [True, False])
def test_blender_installs_a_zip_for_its_own_system_only(tmp_path: Path, here: bool) -> None:
    named = [one for system, one in PLATFORMS.items() if (system == sys.platform) is here]
    if here and sys.platform == "darwin":
        named.append("macos-x64")
    archive, folder = tmp_path / "extension.zip", tmp_path / "extensions"
    folder.mkdir()
    with zipfile.ZipFile(archive, "w") as file:
        # The key that `cargo xtask bundle` adds.
        manifest = (ADDON / "blender_manifest.toml").read_text(encoding="utf-8")
        file.writestr("blender_manifest.toml", f"platforms = {named}\n{manifest}")
        file.write(ADDON / "__init__.py", "__init__.py")
    command = [sys.executable, str(INSTALLER), "install-files", "--local-dir", str(folder)]
    command += ["--output-type", "TEXT", "--blender-version", ".".join(map(str, bpy.app.version)), str(archive)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout
    assert (folder / "geonode_assistant/__init__.py").exists() is here, said
    if not here:
        assert "This platform" in said and all(one in said for one in named)
        assert not list(folder.rglob("*.py"))
