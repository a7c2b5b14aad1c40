# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
for eval in [1]:
    pass
