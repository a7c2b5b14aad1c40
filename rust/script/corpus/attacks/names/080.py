# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
from contextlib import contextmanager
contextmanager = lambda f: f
@contextmanager
def g():
    try:
        yield 1
    finally:
        print("late")
y = g()
next(y)
