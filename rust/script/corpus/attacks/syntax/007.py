# SPDX-License-Identifier: GPL-3.0-or-later
# expect: parse
try:
    pass
except ValueError, TypeError:
    pass
