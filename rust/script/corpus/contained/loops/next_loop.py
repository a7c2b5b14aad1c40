# SPDX-License-Identifier: GPL-3.0-or-later
def g():
    while True:
        yield 1


it = g()
while True:
    if next(it) == 2:
        break
