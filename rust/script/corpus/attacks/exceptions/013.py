# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
def f():
    try:
        while True: pass
    finally:
        return 1
f()
