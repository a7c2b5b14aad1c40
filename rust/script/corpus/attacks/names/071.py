# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
def f(a: open("/tmp/sx_pwned", "w")): pass
