# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
def contextmanager(f):
    return f
@contextmanager
def g():
    try:
        yield 1
    finally:
        print("late")
y = g()
next(y)
