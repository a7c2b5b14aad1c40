# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match 1:
    case [object(f_globals=g), *_]:
        pass
