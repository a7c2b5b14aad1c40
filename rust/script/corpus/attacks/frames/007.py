# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def g():
    yield
x = g()
x.throw(ValueError)
