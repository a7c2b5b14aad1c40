# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
from fractions import Fraction
n = 10 ** 9
Fraction(3, 7) ** n
