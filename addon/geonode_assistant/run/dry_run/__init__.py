# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry runs: a plan is applied to a copy of the file in another process."""
