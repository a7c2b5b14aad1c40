# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def f():
    pass
print(f.__defaults__, f.__closure__)
