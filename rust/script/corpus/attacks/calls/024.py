# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
for n in ('location', '__class__'):
    getattr(1, n)
