# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
def f():
    return Exception
try:
    pass
except f():
    pass
