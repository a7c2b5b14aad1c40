# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match 1:
    case object(__class__=c):
        print(c)
