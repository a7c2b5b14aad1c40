# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
import math
math = 3
