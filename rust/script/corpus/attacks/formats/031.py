# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
n = 999999999
print("%*d" % (n, 1))
