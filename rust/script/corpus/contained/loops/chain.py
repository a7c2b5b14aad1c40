# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import chain, repeat

list(chain.from_iterable(repeat(range(1000))))
