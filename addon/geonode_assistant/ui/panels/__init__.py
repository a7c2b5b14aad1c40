# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw what the session says, nothing else."""
