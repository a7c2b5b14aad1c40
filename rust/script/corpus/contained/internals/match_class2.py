# SPDX-License-Identifier: GPL-3.0-or-later
match 1:
    case int(real=r, __doc__=d):
        print(d)
