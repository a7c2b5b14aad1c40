# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import combinations

max(combinations(range(60), 30))
