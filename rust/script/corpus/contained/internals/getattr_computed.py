# SPDX-License-Identifier: GPL-3.0-or-later
n = 'x'.upper()
getattr(1, n)
