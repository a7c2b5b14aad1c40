# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import math
[math][0].sin(1)
