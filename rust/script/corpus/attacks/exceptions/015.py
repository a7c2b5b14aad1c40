# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
from contextlib import contextmanager
def g():
    try:
        yield 1
    finally:
        print("late")
x = contextmanager(g)
y = g()
next(y)
