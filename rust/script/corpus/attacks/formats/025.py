# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
f = str.format
print(f("{0.__class__}", 1))
