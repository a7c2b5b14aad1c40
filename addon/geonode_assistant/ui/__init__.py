# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist sees in Blender: operators, panels, preferences, and the timer that keeps them alive."""
