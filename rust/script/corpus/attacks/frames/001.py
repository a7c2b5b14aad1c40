# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def g():
    yield
x = g()
print(x.gi_frame.f_back.f_globals)
