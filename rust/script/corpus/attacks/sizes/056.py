# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
from itertools import islice, count
n = 10 ** 13
next(islice(count(), n, None))
