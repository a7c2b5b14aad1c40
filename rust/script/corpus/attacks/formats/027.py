# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
from functools import partial
p = partial(str.format, "{0.__class__}")
print(p(1))
