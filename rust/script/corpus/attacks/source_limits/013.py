# SPDX-License-Identifier: GPL-3.0-or-later
# expect: scan
if 1:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
