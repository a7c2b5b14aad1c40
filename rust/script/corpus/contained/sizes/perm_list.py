# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import permutations

list(permutations(range(14)))
