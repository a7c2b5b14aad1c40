# SPDX-License-Identifier: GPL-3.0-or-later
def g():
    while True:
        yield 1


sum(g())
