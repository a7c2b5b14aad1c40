# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
from contextlib import contextmanager
@contextmanager
def g():
    yield 1
print(g().__generator__, g().gen)
