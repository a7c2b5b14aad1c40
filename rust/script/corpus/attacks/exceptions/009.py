# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
def f():
    try:
        pass
    finally:
        if 1:
            return 2
