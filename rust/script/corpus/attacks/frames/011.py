# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
f = lambda f: f.f_builtins
f(1)
