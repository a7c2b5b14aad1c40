# SPDX-License-Identifier: GPL-3.0-or-later
import math
math.comb(10 ** 8, 10 ** 7)
