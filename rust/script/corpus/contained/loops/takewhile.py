# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import takewhile, count

for x in takewhile(lambda v: True, count()):
    pass
