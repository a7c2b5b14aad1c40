# SPDX-License-Identifier: GPL-3.0-or-later
"""A run: the driver between the core and Blender, the session that shows it, the report, extensions and dry runs."""
