# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import math
x = math.sin
x.__self__.__loader__
