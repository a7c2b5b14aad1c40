# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside a Blender without a window: pytest on Blender's main thread, with what follows ``--``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

project = Path(os.environ["GEONODE_WORK"]) / "project"
sys.path[:0] = [str(project / part) for part in ("site", "addon")]

import pytest  # noqa: E402

# Blender has a handler of its own, the tests know Python's.
signal.signal(signal.SIGINT, signal.default_int_handler)
options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", f"--rootdir={project}"]
status = pytest.main([*options, *sys.argv[sys.argv.index("--") + 1 :]])
sys.stdout.flush()
sys.stderr.flush()
# Blender would load and unload everything once more.
os._exit(int(status))
