# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import numpy as np
f = lambda m: m.load
f(np)
