# SPDX-License-Identifier: GPL-3.0-or-later
# expect: exceptions
try:
    pass
except (ValueError, type(1)):
    pass
