# SPDX-License-Identifier: GPL-3.0-or-later
import math

math.prod(range(1, 3_000_000))
