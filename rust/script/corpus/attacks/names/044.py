# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
match 1:
    case __builtins__:
        pass
