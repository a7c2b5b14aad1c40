# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
def f():
    global __builtins__
    __builtins__ = 1
