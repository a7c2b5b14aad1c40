# SPDX-License-Identifier: GPL-3.0-or-later
def f(n):
    try:
        while n:
            pass
    finally:
        f(n)


f(1)
