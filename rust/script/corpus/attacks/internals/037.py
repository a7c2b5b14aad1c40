# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from functools import lru_cache
@lru_cache
def f(): pass
f.__wrapped__.__globals__
