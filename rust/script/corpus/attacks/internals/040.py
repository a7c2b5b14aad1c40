# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
E = Exception.__mro__[1]
try:
    while True: pass
except E:
    pass
