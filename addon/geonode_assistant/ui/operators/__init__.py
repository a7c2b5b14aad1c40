# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators read what the artist chose, call the session, and report."""
