# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan tried on a copy of the file in another process."""
