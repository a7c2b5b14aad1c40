# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import permutations

sum(1 for p in permutations(range(20)))
