# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def f():
    return f.__builtins__
f()
