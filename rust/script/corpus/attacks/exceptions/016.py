# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
from contextlib import contextmanager
kept = []
def keep(f):
    kept.append(f)
    return f
@contextmanager
@keep
def g():
    try:
        yield 1
    finally:
        print("late")
y = kept[0]()
next(y)
