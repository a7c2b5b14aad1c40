# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
class E(Exception): pass
for E in [ValueError]:
    pass
try:
    pass
except E:
    pass
