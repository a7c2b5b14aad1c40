# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import repeat

next(filter(None, repeat(0)))
