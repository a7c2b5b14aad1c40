# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import functools
@functools.lru_cache
def f(): pass
print(f.__wrapped__.__globals__)
