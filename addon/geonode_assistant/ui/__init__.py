# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in Blender: operators, panels, preferences, and the timer that advances a run."""
