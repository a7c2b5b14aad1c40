# SPDX-License-Identifier: GPL-3.0-or-later
from functools import reduce
import operator
from itertools import count

reduce(operator.add, count())
