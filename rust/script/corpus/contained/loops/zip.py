# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import count

list(zip(count(), count()))
