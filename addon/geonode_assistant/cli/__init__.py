# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: ``run``, ``e2e``, ``export``, ``import`` and ``diff``."""
