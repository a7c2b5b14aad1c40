# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs on this machine: what their calls do on the main thread, and the artist's say over them."""
