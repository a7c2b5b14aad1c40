# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw the state of the session and change nothing."""
