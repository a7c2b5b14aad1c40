# SPDX-License-Identifier: GPL-3.0-or-later
from fractions import Fraction

x = Fraction(3, 7)
for i in range(200):
    x = x * x + x
