# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
match 1:
    case eval:
        pass
