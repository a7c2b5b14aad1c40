# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import count

list(count())
