# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
with 1 as open:
    pass
