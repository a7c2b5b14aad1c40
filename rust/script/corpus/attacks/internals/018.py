# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
x = 1
x.__class__ = int
