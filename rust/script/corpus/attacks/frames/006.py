# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
try:
    raise ValueError from TypeError()
except ValueError as e:
    e.__cause__.__context__
