# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import repeat

any(repeat(0))
