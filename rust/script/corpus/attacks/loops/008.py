# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
from itertools import cycle
for i in cycle([1]):
    x = i
