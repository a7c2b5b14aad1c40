# SPDX-License-Identifier: GPL-3.0-or-later
import math
math.factorial(10 ** 8)
