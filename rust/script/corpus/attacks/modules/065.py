# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import typing
def f(x: "__import__('os').system('touch /tmp/sx_pwned')"): pass
typing.get_type_hints(f)
