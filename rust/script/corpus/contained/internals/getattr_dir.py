# SPDX-License-Identifier: GPL-3.0-or-later
for n in dir(1):
    getattr(1, n)
