# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
def f():
    while True:
        try:
            while True: pass
        finally:
            continue
f()
