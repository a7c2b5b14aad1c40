# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m geonode_assistant run|e2e|export|import|diff …`` in a Python that has Blender's ``bpy`` module."""

from __future__ import annotations

import os
import sys

from .cli.command import main

status = main(sys.argv[1:], prog="python -m geonode_assistant")
sys.stdout.flush()
sys.stderr.flush()
# Some builds of the bpy module hang while the interpreter shuts down; everything is written by now.
os._exit(status)
