# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import repeat
from collections import deque

deque(repeat(1), maxlen=1)
