# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the add-on's command line inside a Blender executable; its arguments are those after ``--``."""

import os
import runpy
import sys

sys.path[:0] = os.environ["GEONODE_MODULES"].split(os.pathsep)
sys.argv = ["geonode_assistant", *sys.argv[sys.argv.index("--") + 1 :]]
runpy.run_module("geonode_assistant", run_name="__main__", alter_sys=True)
