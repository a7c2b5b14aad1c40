# SPDX-License-Identifier: GPL-3.0-or-later
"""A run: the driver between the core and Blender, what it is handed over to, and what is known of it afterwards."""
