# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import product

len(list(product(range(100), repeat=8)))
