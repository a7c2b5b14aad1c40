# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import functools
@functools.singledispatch
def f(x): pass
@f.register
def g(x: "__import__('os').system('id > /tmp/x')"): pass
