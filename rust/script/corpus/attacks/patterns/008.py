# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match print:
    case object(__self__=b):
        print(b)
