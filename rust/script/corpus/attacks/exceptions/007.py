# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
T = (ValueError, TypeError)
try:
    pass
except T:
    pass
