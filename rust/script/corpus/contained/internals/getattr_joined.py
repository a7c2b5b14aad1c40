# SPDX-License-Identifier: GPL-3.0-or-later
for n in ['a', 'b' + 'c']:
    getattr(1, n)
