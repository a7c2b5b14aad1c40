# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
E = Exception
try:
    pass
except E:
    pass
