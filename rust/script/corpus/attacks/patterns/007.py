# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match ():
    case object(__class__=c):
        print(c)
