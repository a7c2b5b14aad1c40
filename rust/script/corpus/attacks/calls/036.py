# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
def f(**k): return k
print(f(__class__=1))
class A(**{"metaclass": type}): pass
