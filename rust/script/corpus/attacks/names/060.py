# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
try:
    foo_missing = bar_missing
except NameError as e:
    print(e.name)
