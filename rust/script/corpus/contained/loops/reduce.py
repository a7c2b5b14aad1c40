# SPDX-License-Identifier: GPL-3.0-or-later
from functools import reduce
import operator

reduce(operator.mul, range(1, 10**6))
