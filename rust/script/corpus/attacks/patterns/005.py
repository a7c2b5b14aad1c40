# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
match 1:
    case {'x': object(tb_frame=g)}:
        pass
