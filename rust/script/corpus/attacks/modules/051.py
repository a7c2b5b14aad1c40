# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
from math import sin
sin = 3
